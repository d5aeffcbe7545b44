"""Every page, on a phone and on a desk, by day and by night: nothing that shuts anybody out."""

import io
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.services.account_status import deactivate_account, request_deletion, suspend_user
from accounts.services.invitations import create_invitation
from accounts.services.profiles import update_profile
from feed import picture_files
from feed.models import Picture, Post
from feed.services.filters import add_phrase_filter
from feed.services.posts import edit_post, publish_post
from feed.services.user_lists import choose_lists, create_list
from tests.actions import (
    add_comment,
    bookmark_post,
    delete_comment,
    edit_comment,
    like_comment,
    like_post,
    share_post,
)
from tests.factories import PASSWORD, UserFactory, follow, publish
from tests.uploads import picture

from .conftest import PHONE, NewContext

UNFOLD = """document.querySelectorAll('.fold > details, .alt-texts, .filtered-post, .actions > details')
  .forEach((one) => { one.open = true; })"""
SETTLE = "document.getAnimations().forEach((one) => one.finish())"
AUDIT = Path(__file__).with_name("audit.js").read_text()

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3
ADDRESS = "https://example.org/" + "a-very-long-path-without-a-break" * 6

FINGER, MOUSE = 44, 24
"""Pixels."""

LOOKS = [(320, "dark"), (1280, "light")]
"""Widths and themes that each page is turned to when it is there: no script of the site asks for either."""

Pages = dict[str, list[str]]

FOR_ALL = (
    "home",
    "public",
    "people",
    "search",
    "tags",
    "account_login",
    "account_signup",
    "account_reset_password",
)
FOR_MEMBERS = (
    "home",
    "unread",
    "quiet_authors",
    "public",
    "people",
    "search",
    "tags",
    "follow_requests",
    "publish_post",
    "edit_profile",
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
    "lists",
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
FOR_CODES = (
    "mfa_activate_totp",
    "mfa_index",
    "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes",
    "mfa_deactivate_totp",
)


@pytest.fixture
def pages(alice: User, bob: User) -> Pages:
    """The addresses of all pages, with people and posts that strain them, for each kind of viewer."""
    long = UserFactory(username="a_very_long_user_name_30_chars", display_name="W" * 30)
    update_profile(uid=long.pk, display_name="W" * 30, bio=LONG + ADDRESS)
    hebrew = UserFactory(username="noam", display_name="נועם 👩🏽‍🚀")
    follow(alice, bob, long, hebrew)
    follow(long, alice)
    for author, text in (
        (long, LONG),
        (hebrew, "שבת שלום לכולם! 今日は神田の古本屋を三軒まわりました。"),
        (bob, f"Look: {ADDRESS} #walks"),
    ):
        last = publish(author, text)
    share_post(post_id=last, actor=long)
    share_post(post_id=last, actor=alice)
    like_post(post_id=last, actor=long)
    # One of each kind in a row, so that two are folded.
    for visibility in Post.Visibility.values:
        edited = publish(long, "@alice", visibility)
        edit_post(post_id=edited, actor=long, text=f"@alice {ADDRESS} {LONG}"[:500])
    own = publish(alice, f"@{long.username} @{long.username} @{long.username}", "direct")
    shown = [
        picture_files.store_upload(
            owner=alice.pk,
            upload=picture_files.decode_upload(upload=io.BytesIO(picture(size=size))),
        ).pk
        for size in ((900, 300), (200, 800), (300, 300))
    ]
    Picture.objects.filter(pk__in=shown[1:]).update(alt=LONG + ADDRESS)
    with_pictures = publish_post(
        author=alice.pk,
        text=LONG,
        content_warning="W" * 100,
        picture_ids=shown,
        visibility="unlisted",
    )
    under_way = publish(alice, "Still on its way")
    Post.objects.filter(pk=under_way).update(
        delivery_state=Post.DeliveryState.PENDING, delivery_audience_size=31_000
    )
    begun = conversation(last, bob, long, alice)
    bookmark_post(post_id=last, actor=alice)
    create_invitation(actor=alice, max_uses=3, expires_at=timezone.now() + timedelta(days=1))
    add_phrase_filter(owner=alice.pk, phrase="M" * 100, has_warning=True, hours=1)
    add_phrase_filter(owner=alice.pk, phrase="walks", has_warning=True, hours=None)
    of_people = create_list(owner=alice, title="W" * 60)
    choose_lists(owner=alice, username=long.username, list_ids={of_people})
    for kind, details in (
        ("link", {"url": ADDRESS, "host": "example.org"}),
        ("review", {"title": "W" * 120, "item": "book", "stars": 4}),
    ):
        publish_post(author=hebrew.pk, text="", kind=kind, details=details)
    posts = [
        reverse("post", args=["bob", last]) + "?before=2",
        reverse("comment_thread", args=["bob", last, begun]),
        reverse("post_history", args=[long.username, edited]),
        reverse("post", args=["alice", own]),
        reverse("post", args=["alice", with_pictures]),
        reverse("post", args=["alice", under_way]),
        reverse("post_likers", args=["bob", last]),
    ]
    names = [reverse(name, args=[long.username]) for name in ("profile", "followers", "following")]
    results = [reverse("tag", args=["walks"]), "/search/?q=w", "/search/?q=look&type=posts"]
    results += ["/reviews/?of=book:" + "w" * 120, "/links/?to=example.org"]
    both = [*names, *posts, *results, reverse("profile", args=["alice"]), "/nowhere/"]
    return {
        "nobody": [*map(reverse, FOR_ALL), *both],
        "alice": [
            *map(reverse, FOR_MEMBERS),
            *both,
            reverse("post_insights", args=["alice", own]),
            *(reverse(name, args=[own]) for name in ("edit_post", "delete_post")),
            reverse("edit_post", args=[with_pictures]),
            *(f"{reverse('publish_post')}?kind={kind}" for kind in ("link", "review")),
            *(reverse(name, args=[of_people]) for name in ("list", "edit_list")),
            reverse("user_lists", args=[long.username]),
            reverse("edit_comment", args=[last, begun]),
            reverse("thread_notifications", args=[last]),
        ],
    }


def conversation(post: int, author: User, long: User, viewer: User) -> int:
    """What strains a page of comments; the comment of the viewer with which a thread begins."""

    def say(actor: User, text: str, parent: int = 0) -> int:
        return add_comment(post_id=post, actor=actor, text=text, parent_id=parent)

    begun = say(viewer, LONG)
    for actor in (long, author, long, viewer):
        last = say(actor, f"@{viewer.username} {ADDRESS}", begun)
    say(author, "To you", last)
    edit_comment(post_id=post, comment_id=begun, actor=viewer, text=LONG + "!")
    like_comment(post_id=post, comment_id=begun, actor=long)
    deleted = say(long, "Never mind")
    say(author, "But I do", deleted)
    delete_comment(post_id=post, comment_id=deleted, actor=long)
    say(viewer, "Not on the first page")
    return begun


def audit(page: Page, addresses: list[str], *, least: int) -> list[str]:
    """``least``: pixels that a target has in both directions."""
    results = []
    for address in addresses:
        page.goto(address)
        assert urlsplit(page.url).path == urlsplit(address).path, "it leads elsewhere"
        page.evaluate(UNFOLD)
        results += [f"{address} {element}" for element in page.evaluate(AUDIT, least)]
    return results


@pytest.mark.parametrize("viewer", ["nobody", "alice"])
def test_every_page_is_sound_and_never_scrolls_sideways(
    new_context: NewContext, pages: Pages, alice: User, log_in, viewer
) -> None:
    page = new_context().new_page()
    if viewer == "alice":
        log_in(page, alice)
    results = []
    for address in pages[viewer]:
        page.goto(address)
        assert urlsplit(page.url).path == urlsplit(address).path, "it leads elsewhere"
        page.evaluate(UNFOLD)
        for width, theme in LOOKS:
            page.set_viewport_size({"width": width, "height": 700})
            page.emulate_media(color_scheme=theme)
            page.evaluate(SETTLE)
            results += [f"{address} {theme} {element}" for element in page.evaluate(AUDIT, 0)]
    assert results == []


@pytest.mark.parametrize("viewer", ["nobody", "alice"])
def test_every_page_of_a_phone_is_fit_for_fingers(
    new_context: NewContext, pages: Pages, alice: User, log_in, viewer
) -> None:
    page = new_context(**PHONE).new_page()
    if viewer == "alice":
        log_in(page, alice)
    assert audit(page, pages[viewer], least=FINGER) == []


@pytest.mark.parametrize("name", ["home", "public"])
def test_names_and_times_of_posts_are_large_enough_for_a_mouse(
    page: Page, pages: Pages, name
) -> None:
    page.goto(reverse(name))
    heights = page.eval_on_selector_all(
        ".post-header > a", "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert len(heights) > 4
    assert min(heights) >= MOUSE


def test_the_comments_of_a_post_begin_with_the_box_for_ones_own(
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


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_pages_of_codes_and_of_closed_accounts_are_sound(
    new_context: NewContext, alice: User, log_in, theme
) -> None:
    page = new_context(**PHONE, color_scheme=theme).new_page()
    log_in(page, alice)
    page.goto(reverse("mfa_activate_totp"))
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    first, *others = map(reverse, FOR_CODES)
    picture = page.get_by_role("img", name="QR code for your authenticator app")
    expect(picture).to_have_css("background-color", "rgb(255, 255, 255)")  # its squares are black
    result = audit(page, [first], least=FINGER)
    TOTP.activate(alice, "JBSWY3DPEHPK3PXP")
    RecoveryCodes.activate(alice)
    result += audit(page, others, least=FINGER)
    page.goto("about:blank")  # what is open would complain that it hears nothing any more
    for close in (deactivate_account, request_deletion, suspend_user):
        close(uid=alice.pk)
        result += audit(page, [reverse("account_status"), reverse("delete_account")], least=FINGER)
    assert result == []


def test_an_empty_site_is_sound(new_context: NewContext, alice: User, log_in) -> None:
    page = new_context(**PHONE).new_page()
    lists = [reverse(name, args=["alice"]) for name in ("profile", "followers", "following")]
    addresses = [*map(reverse, ("home", "public", "people")), *lists]
    assert audit(page, addresses, least=FINGER) == []
    log_in(page, alice)
    assert audit(page, addresses, least=FINGER) == []
