"""Every page is accessible on phones and desktops, in the light and the dark theme."""

import io
import os
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from PIL import Image
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.profile_pictures import HEADER, crop_picture
from accounts.services.account_status import deactivate_account, request_deletion, suspend_user
from accounts.services.invitations import create_invitation
from accounts.services.profiles import change_picture, update_profile
from accounts.user_cards import ProfileField
from feed import picture_files
from feed.link_cards.cards import picture_entry
from feed.models import Picture, Post
from feed.selectors.filters import filters_of_viewer
from feed.selectors.visible_posts import visible_post
from feed.services.filters import add_phrase_filter, filter_post
from feed.services.tags import feature_tag
from feed.services.user_lists import choose_lists, create_list
from tests.actions import (
    add_comment,
    bookmark_post,
    delete_comment,
    edit_comment,
    edit_post,
    like_comment,
    like_post,
    publish_post,
    share_post,
    vote,
)
from tests.factories import PASSWORD, UserFactory, follow, publish
from tests.feed.draft_helpers import draft_of, schedule
from tests.feed.poll_helpers import end, publish_poll
from tests.feed.quote_helpers import quote
from tests.log_ins import turn_on_two_factors
from tests.uploads import picture

from .accessibility import (
    ADDRESS,
    LONG,
    MOUSE_TARGET,
    problems_for_touch,
    problems_of_pages,
)
from .conftest import PHONE, NewContext

Pages = dict[str, list[str]]

LOCALES = os.environ.get("PAGE_LOCALES", "").split()
"""Languages to test all pages in, instead of the default: ``PAGE_LOCALES="fr ja" pytest ...``."""

PUBLIC_PAGES = (
    "home",
    "shortcuts",
    "appearance_settings",
    "public",
    "explore",
    "people",
    "trending_links",
    "search",
    "tags",
    "about",
    "rules",
    "privacy",
    "terms",
    "account_login",
    "account_signup",
    "account_reset_password",
)
PROFILE_PAGES = ("profile", "profile_comments", "profile_pictures", "profile_reviews")
USER_PAGES = (
    "home",
    "unread",
    "quiet_authors",
    "public",
    "explore",
    "people",
    "trending_links",
    "search",
    "tags",
    "welcome",
    "welcome_topics",
    "welcome_people",
    "follow_requests",
    "publish_post",
    "settings",
    "appearance_settings",
    "shortcuts",
    "edit_profile",
    "featured_tags",
    "change_username",
    "privacy_settings",
    "data_archives",
    "filters",
    "notifications",
    "filtered_notifications",
    "notification_history",
    "notification_settings",
    "email_settings",
    "push_devices",
    "conversations",
    "start_conversation",
    "lists",
    "drafts",
    "scheduled_posts",
    "bookmarks",
    "account_insights",
    "blocked_users",
    "muted_users",
    "invitations",
    "account_email",
    "account_change_password",
    "account_logout",
    "account_settings",
    "deactivate_account",
    "delete_account",
    "sessions",
    "mfa_index",
    "account_reauthenticate",
)
TWO_FACTOR_PAGES = (
    "mfa_activate_totp",
    "mfa_index",
    "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes",
    "mfa_deactivate_totp",
)
PUBLIC_LAYOUTS = ("home", "explore", "account_login", "account_signup", "post", "profile", "rules")
USER_LAYOUTS = (
    "home",
    "explore",
    "people",
    "trending_links",
    "search",
    "tags",
    "welcome_topics",
    "publish_post",
    "settings",
    "appearance_settings",
    "edit_profile",
    "privacy_settings",
    "filters",
    "notifications",
    "notification_settings",
    "push_devices",
    "conversations",
    "conversation",
    "list",
    "edit_list",
    "drafts",
    "account_insights",
    "invitations",
    "account_email",
    "sessions",
    "mfa_index",
    "profile",
    "followers",
    "post",
    "comment_thread",
    "post_history",
    "reviews",
)
"""The pages whose layouts differ. Other languages are tested only with these."""


def _add_link_card(post: int) -> None:
    upload = picture_files.encode_sizes(picture=Image.new("RGB", (300, 200)))
    stored = picture_files.store_upload(owner=Picture.SITE, upload=upload)
    Picture.objects.filter(pk=stored.pk).update(post=Picture.LINK_CARD)
    texts = {"title": "W" * 60, "description": LONG[:200], "author": "W" * 40}
    card = {"url": ADDRESS, **texts, "picture": picture_entry(picture=stored, alt=LONG[:100])}
    Post.objects.filter(pk=post).update(link_card=card)


@pytest.fixture
def pages(alice: User, bob: User) -> Pages:
    """Create users and posts with extreme names and texts. Return the URLs of all pages, by viewer."""
    long_user = UserFactory(username="a_very_long_user_name_30_chars", display_name="W" * 30)
    update_profile(
        uid=long_user.pk,
        display_name="W" * 30,
        bio=LONG + ADDRESS,
        profile_fields=[ProfileField("W" * 40, ADDRESS), ProfileField("Pronouns", LONG[:255])],
        is_bot=True,
    )
    fields = User.objects.get(pk=long_user.pk).profile_fields
    verified = [field | {"verified_at": "2026-01-01"} for field in fields]
    User.objects.filter(pk=long_user.pk).update(profile_fields=verified)
    header = crop_picture(kind=HEADER, upload=io.BytesIO(picture(size=(900, 300))))
    change_picture(kind=HEADER, uid=long_user.pk, picture=header)
    hebrew = UserFactory(username="noam", display_name="נועם 👩🏽‍🚀")
    follow(alice, bob, long_user, hebrew)
    follow(long_user, alice)
    for author, text in (
        (long_user, LONG),
        (hebrew, "שבת שלום לכולם! 今日は神田の古本屋を三軒まわりました。"),
        (bob, f"Look: {ADDRESS} #walks"),
    ):
        last = publish(author, text)
    _add_link_card(last)
    share_post(post_id=last, actor=long_user)
    share_post(post_id=last, actor=alice)
    like_post(post_id=last, actor=long_user)
    # Publish a post of each visibility in a row, so that the timeline collapses two of the posts.
    for visibility in Post.Visibility.values:
        edited = publish(long_user, "@alice", visibility)
        edit_post(post_id=edited, actor=long_user, text=f"@alice {ADDRESS} {LONG}"[:500])
    message = edited
    add_comment(post_id=message, actor=long_user, text=LONG + ADDRESS)
    own = publish(
        alice,
        f"@{long_user.username} @{long_user.username} @{long_user.username}",
        "direct",
    )
    picture_ids = [
        picture_files.store_upload(
            owner=alice.pk,
            upload=picture_files.decode_upload(upload=io.BytesIO(picture(size=size))),
        ).pk
        for size in ((900, 300), (200, 800), (300, 300))
    ]
    Picture.objects.filter(pk__in=picture_ids[1:]).update(alt=LONG + ADDRESS)
    with_pictures = publish_post(
        author=alice.pk,
        text=LONG,
        content_warning="W" * 100,
        picture_ids=picture_ids,
        visibility="unlisted",
    )
    pending_post = publish(alice, "Still on its way")
    Post.objects.filter(pk=pending_post).update(
        delivery_state=Post.DeliveryState.PENDING, delivery_audience_size=31_000
    )
    thread_comment, last_comment = conversation(last, bob, long_user, alice)
    bookmark_post(post_id=last, actor=alice)
    create_invitation(actor=alice, max_uses=3, expires_at=timezone.now() + timedelta(days=1))
    add_phrase_filter(owner=alice.pk, phrase="M" * 100, has_warning=True, hours=1)
    add_phrase_filter(owner=alice.pk, phrase="walks", has_warning=True, hours=None)
    user_filter = filters_of_viewer(viewer=alice.pk)[0]
    filtered = visible_post(post_id=last, viewer=alice.pk)
    filter_post(owner=alice.pk, user_filter=user_filter, post=filtered)
    for tag in ("walks", "w" * 100):
        feature_tag(author=alice.pk, name=tag)
    poll = publish_poll(bob, "W" * 50, "No", is_multiple=True)
    ended_poll = publish_poll(bob, "W" * 50, "Yes")
    vote(ended_poll, alice, 0)
    end(ended_poll)
    quoting = quote(quote(with_pictures, alice, "W" * 300), bob, "A quote")
    later = [
        draft_of(alice, LONG, kind="review", details={"title": "W" * 120, "item": "book"}),
        schedule(alice, ADDRESS, content_warning="W" * 100, visibility="followers"),
        schedule(alice, LONG, reply_to_id=last, keeps_audience=True),
    ]
    list_id = create_list(owner=alice, title="W" * 60)
    choose_lists(owner=alice, username=long_user.username, list_ids={list_id})
    for kind, details in (
        ("link", {"url": ADDRESS, "host": "example.org"}),
        ("review", {"title": "W" * 120, "item": "book", "stars": 4}),
    ):
        publish_post(author=hebrew.pk, text="", kind=kind, details=details)
    posts = [
        reverse("post", args=["bob", last]) + f"?before={last_comment}",
        reverse("comment_thread", args=["bob", last, thread_comment]),
        reverse("post_history", args=[long_user.username, edited]),
        reverse("post", args=["alice", with_pictures]),
        reverse("post", args=["bob", poll]),
        reverse("post_likers", args=["bob", last]),
        reverse("post_quotes", args=["alice", with_pictures]),
    ]
    own_posts = [
        *(reverse("post", args=["alice", post]) for post in (own, pending_post)),
        *(
            reverse("post", args=["bob", post])
            for post in (ended_poll, quoting, quote(with_pictures, bob, "W" * 100))
        ),
    ]
    profile_pages = [
        reverse(name, args=[long_user.username])
        for name in (*PROFILE_PAGES, "followers", "following")
    ]
    results = [
        reverse("tag", args=["walks"]),
        "/search/?q=w",
        "/search/?q=look&type=posts",
        "/search/?q=has:sound",
    ]
    results.append(reverse("profile_tag", args=["alice", "walks"]))
    results += ["/reviews/?of=book:" + "w" * 120, "/links/?to=example.org"]
    shared_pages = [
        *profile_pages,
        *posts,
        *results,
        reverse("profile", args=["alice"]),
        "/nowhere/",
        "/offline/",
    ]
    return {
        "nobody": [*map(reverse, PUBLIC_PAGES), *shared_pages],
        "alice": [
            *map(reverse, USER_PAGES),
            *shared_pages,
            *own_posts,
            reverse("post_insights", args=["alice", own]),
            *(reverse(name, args=[own]) for name in ("edit_post", "delete_post")),
            reverse("revoke_quote", args=[quoting]),
            reverse("filter_post", args=[last]),
            reverse("filter", args=[user_filter.id]),
            f"{reverse('publish_post')}?quote={own}",
            reverse("edit_post", args=[with_pictures]),
            *(f"{reverse('publish_post')}?kind={kind}" for kind in ("link", "review", "poll")),
            *(reverse("edit_draft", args=[draft]) for draft in later),
            reverse("delete_draft", args=[later[0]]),
            *(reverse(name, args=[list_id]) for name in ("list", "edit_list")),
            reverse("edit_list", args=[list_id]) + "?q=long",
            *(reverse(name, args=[long_user.username]) for name in ("user_lists", "edit_note")),
            reverse("follow_languages", args=[long_user.username]),
            reverse("edit_comment", args=[last, thread_comment]),
            reverse("thread_notifications", args=[last]),
            reverse("conversation", args=[message]),
            f"{reverse('start_conversation')}?to={long_user.username}",
        ],
    }


def conversation(post: int, author: User, long_user: User, viewer: User) -> tuple[int, int]:
    """Add comments with extreme texts.

    Return the id of the viewer's comment that starts a thread, and that of the last comment.
    """

    def say(actor: User, text: str, parent: int = 0) -> int:
        return add_comment(post_id=post, actor=actor, text=text, parent_id=parent)

    thread_comment = say(viewer, LONG)
    for actor in (long_user, author, long_user, viewer):
        last = say(actor, f"@{viewer.username} {ADDRESS}", thread_comment)
    say(author, "To you", last)
    edit_comment(post_id=post, comment_id=thread_comment, actor=viewer, text=LONG + "!")
    like_comment(post_id=post, comment_id=thread_comment, actor=long_user)
    deleted = say(long_user, "Never mind")
    say(author, "But I do", deleted)
    delete_comment(post_id=post, comment_id=deleted, actor=long_user)
    return thread_comment, say(viewer, "Not on the first page")


@pytest.mark.parametrize("locale", LOCALES or ["en-GB"])
@pytest.mark.parametrize(
    ("viewer", "part"),
    # Half of alice's pages each, because all of them would take too long for one test.
    [("nobody", slice(None)), ("alice", slice(0, None, 2)), ("alice", slice(1, None, 2))],
    ids=["nobody", "alice-first", "alice-second"],
)
def test_every_page_is_accessible_and_never_scrolls_sideways(
    new_context: NewContext, pages: Pages, alice: User, log_in, viewer, part, locale
) -> None:
    page = new_context(locale=locale).new_page()
    if viewer == "alice":
        log_in(page, alice)
    assert problems_of_pages(page, pages[viewer][part]) == []


# German has long words, Arabic is written from right to left.
@pytest.mark.parametrize("locale", ["de", "ar"])
def test_every_layout_has_large_touch_targets_in_other_languages(
    new_context: NewContext, pages: Pages, alice: User, log_in, locale
) -> None:
    page = new_context(**PHONE, locale=locale).new_page()
    for viewer, layouts in (("nobody", PUBLIC_LAYOUTS), ("alice", USER_LAYOUTS)):
        if viewer == "alice":
            log_in(page, alice)
        addresses = {_layout(address): address for address in reversed(pages[viewer])}
        assert problems_for_touch(page, [addresses[layout] for layout in layouts]) == []


def _layout(address: str) -> str:
    """Return the name of the URL. Most pages of one URL share their layout."""
    try:
        return resolve(urlsplit(address).path).url_name or ""
    except Resolver404:
        return ""


def test_names_and_times_of_posts_are_large_enough_for_a_mouse(page: Page, pages: Pages) -> None:
    for name in ("home", "public"):
        page.goto(reverse(name))
        heights = page.eval_on_selector_all(
            ".post-header > a", "links => links.map(link => link.getBoundingClientRect().height)"
        )
        assert len(heights) > 4
        assert min(heights) >= MOUSE_TARGET


def test_the_comments_link_focuses_the_comment_field(
    page: Page, alice: User, bob: User, log_in
) -> None:
    follow(alice, bob)
    publish(bob, "Say something")
    log_in(page, alice)
    page.goto("/")
    page.locator(".post-actions").get_by_role("link", name="Comments").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/@bob/**")
    box = page.get_by_role("textbox", name="Your comment")
    expect(box).to_be_focused()
    page.keyboard.type("Here I am")
    expect(box).to_have_value("Here I am")


def test_two_factor_and_account_status_pages_are_accessible(
    new_context: NewContext, alice: User, log_in
) -> None:
    page = new_context(color_scheme="dark").new_page()
    log_in(page, alice)
    page.goto(reverse("mfa_activate_totp"))
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    first, *others = map(reverse, TWO_FACTOR_PAGES)
    picture = page.get_by_role("img", name="QR code for your authenticator app")
    # The background has to be white in the dark theme, too, because the QR code is black.
    expect(picture).to_have_css("background-color", "rgb(255, 255, 255)")
    problems = problems_of_pages(page, [first])
    turn_on_two_factors(alice)
    problems += problems_of_pages(page, others)
    page.goto("about:blank")  # close the stream, which would fail when the account is closed
    for close in (deactivate_account, request_deletion, suspend_user):
        close(uid=alice.pk)
        problems += problems_of_pages(page, [reverse("account_status"), reverse("delete_account")])
    assert problems == []


def test_an_empty_site_is_accessible(new_context: NewContext, alice: User, log_in) -> None:
    page = new_context().new_page()
    lists = [reverse(name, args=["alice"]) for name in ("profile", "followers", "following")]
    addresses = [
        *map(reverse, ("home", "public", "explore", "people", "trending_links", "tags")),
        *lists,
    ]
    assert problems_of_pages(page, addresses) == []
    log_in(page, alice)
    assert problems_of_pages(page, addresses) == []
