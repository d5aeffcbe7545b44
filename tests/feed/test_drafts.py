"""Drafts and scheduled posts on pages: the composer, the lists, editing, publishing and deleting."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation
from django.utils.translation import gettext

from accounts.infra.refusals import Refused
from accounts.models import User
from accounts.services.blocks_and_mutes import block_user
from accounts.services.profiles import change_settings
from feed import tasks
from feed.models import Picture, Post
from feed.services import drafts as services
from feed.services.drafts import CannotSchedule, DraftChanged, publish_due_post
from feed.services.pictures import CannotAttach, discard_picture
from feed.store.collections import drafts
from tests.actions import content_of
from tests.at_once import at_once
from tests.factories import follow, publish
from tests.feed.draft_helpers import draft_of, let_come_due, schedule, stored
from tests.feed.picture_uploads import media_of, uploaded
from tests.feed.reading_html import send, words
from tests.uploads import picture

COMPOSER = "/posts/"
LIST, SCHEDULED = "/drafts/", "/drafts/scheduled/"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def tomorrow(hour=10):
    day = timezone.now().date() + timedelta(days=1)
    return datetime(day.year, day.month, day.day, hour, 30, tzinfo=UTC)


def local(moment):
    return f"{moment:%Y-%m-%dT%H:%M}"


def only_draft():
    return drafts().find_one({}) if drafts().count_documents({}) == 1 else None


# --- The composer ------------------------------------------------------------------------------
def test_the_composer_saves_a_draft_without_javascript(as_alice):
    for path in ("/", COMPOSER):
        page = as_alice.get(path).content.decode()
        assert 'name="save" value="draft"' in page
        assert 'type="datetime-local"' in page
        # Enter in a field presses the first button.
        assert page.index(">Publish</button>") < page.index('name="save"')
    response = as_alice.post(COMPOSER, {"text": "Half a tho", "save": "draft", "publish_at": ""})
    assert response["Location"] == LIST
    assert not Post.objects.exists()
    page = as_alice.get(LIST).content.decode()
    assert "Draft saved." in words(page)
    assert "Half a tho" in page
    # The browser forgets the text that it stored while alice typed.
    assert re.search(r'data-published-draft="\d+:post"', page)


def test_a_text_in_the_browser_belongs_to_the_post_or_to_one_quote(as_alice, alice, bob):
    quoted = publish(bob, "Rain in Bonn")
    for query, name in (("", "post"), (f"?quote={quoted}", f"quote:{quoted}")):
        path, key = f"{COMPOSER}{query}", f"{alice.pk}:{name}"
        assert f'data-draft="{key}"' in as_alice.get(path).content.decode()
        for save in ({}, {"save": "draft"}):
            response = as_alice.post(path, {"text": "Half a tho", **save})
            page = as_alice.get(response["Location"]).content.decode()
            assert f'data-published-draft="{key}"' in page


def test_a_text_in_the_browser_belongs_to_the_message_to_one_user(as_alice, alice, bob):
    page = as_alice.get("/messages/new/?to=bob").content.decode()
    assert f'data-draft="{alice.pk}:message:bob" data-beginning="@bob "' in page


def test_a_draft_may_be_incomplete_but_not_empty(as_alice):
    response = as_alice.post(COMPOSER, {"text": " ", "save": "draft"})
    assert (response.status_code, set(response.context["form"].errors)) == (422, {"text"})
    poll = {"kind": "poll", "text": "", "choice_1": "Tea", "duration": "3600", "save": "draft"}
    assert as_alice.post(COMPOSER, poll).status_code == 302
    direct = {"text": "to nobody yet", "visibility": "direct", "save": "draft"}
    assert as_alice.post(COMPOSER, direct).status_code == 302
    assert drafts().count_documents({"due_at": None}) == 2
    assert as_alice.post(COMPOSER, {"kind": "poll", "save": "draft"}).status_code == 422


@pytest.mark.parametrize("save", ["schedule", ""])
def test_a_post_is_scheduled_in_the_time_zone_of_its_author(as_alice, alice, save):
    User.objects.filter(pk=alice.pk).update(time_zone="America/New_York")
    at = tomorrow()
    new_york = at.astimezone(ZoneInfo("America/New_York"))
    # "Publish" with a time schedules the post, too, because Enter presses that button.
    response = as_alice.post(
        COMPOSER, {"text": "Soon #tea", "save": save, "publish_at": local(new_york)}
    )
    assert response["Location"] == SCHEDULED
    assert not Post.objects.exists()
    assert only_draft()["due_at"].replace(tzinfo=UTC) == at
    page = as_alice.get(SCHEDULED).content.decode()
    assert "Scheduled. Your post will be published on" in page
    assert f'datetime="{at:%Y-%m-%dT%H:%M}:00Z"' in page
    assert new_york.tzname() in words(page)
    page = as_alice.get(f"/drafts/{only_draft()['_id']}/").content.decode()
    assert f'value="{local(new_york)}"' in page


@pytest.mark.parametrize(
    ("publish_at", "message"),
    [
        ("", "Choose a date and a time."),
        ("soon", "Enter a date and a time."),
        ("2999-99-99T10:00", "Enter a date and a time."),
        ("0001-01-01T00:00", "at least five minutes from now"),
        ("9999-12-31T23:59", "within the next five years"),
    ],
)
def test_a_time_that_is_refused_keeps_what_was_typed(as_alice, publish_at, message):
    response = as_alice.post(
        COMPOSER, {"text": "Kept", "save": "schedule", "publish_at": publish_at}
    )
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"publish_at"}
    assert message in response.content.decode()
    assert "Kept</textarea>" in response.content.decode()
    assert not drafts().count_documents({})


def test_times_that_do_not_exist_or_exist_twice_are_refused(as_alice, alice):
    User.objects.filter(pk=alice.pk).update(time_zone="Europe/Berlin")
    year = timezone.now().year + 1

    def last_sunday(month):
        day = datetime(year, month, 31)
        return day - timedelta(days=(day.weekday() + 1) % 7)

    for day in (last_sunday(3), last_sunday(10)):
        at = day.replace(hour=2, minute=30)
        response = as_alice.post(
            COMPOSER, {"text": "x", "save": "schedule", "publish_at": local(at)}
        )
        assert response.status_code == 422
        assert "The clocks change at this time." in response.content.decode()
    summer = last_sunday(3).replace(hour=3, minute=30)
    data = {"text": "x", "save": "schedule", "publish_at": local(summer)}
    assert as_alice.post(COMPOSER, data).status_code == 302
    assert only_draft()["due_at"].hour == 1


def test_a_scheduled_post_must_be_complete(as_alice, bob):
    at = local(tomorrow())
    for data, field in (
        ({"text": ""}, "text"),
        ({"text": "psst", "visibility": "direct"}, "text"),
        ({"text": "@nobodyhere psst", "visibility": "direct"}, "text"),
        ({"text": "@bob look", "visibility": "followers"}, "text"),
        ({"text": "Tea?", "kind": "poll", "choice_1": "Yes", "duration": "3600"}, "choice_2"),
    ):
        response = as_alice.post(COMPOSER, {"save": "schedule", "publish_at": at, **data})
        assert (response.status_code, set(response.context["form"].errors)) == (422, {field})
    assert not drafts().count_documents({})


def test_a_draft_is_saved_once_however_often_the_form_is_sent(as_alice):
    page = as_alice.get(COMPOSER).content.decode()
    key = re.search(r'name="idempotency_key" value="([^"]+)"', page)[1]
    data = {"text": "Once", "idempotency_key": key, "save": "draft"}
    for _click in range(2):
        assert as_alice.post(COMPOSER, data).status_code == 302
    assert drafts().count_documents({}) == 1
    # The same form may also publish.
    assert as_alice.post(COMPOSER, data | {"save": ""}).status_code == 302
    assert Post.objects.count() == 1


# --- Lists, editing, publishing and deleting ---------------------------------------------------
def test_each_list_says_what_to_do_when_it_is_empty(as_alice):
    assert "No drafts yet" in words(as_alice.get(LIST).content.decode())
    assert "No scheduled posts" in words(as_alice.get(SCHEDULED).content.decode())
    assert f'href="{LIST}"' in as_alice.get("/").content.decode()


def test_the_lists_have_pages_and_few_commands(as_alice, alice, record_commands):
    texts = [f"Draft number {n:02}." for n in range(23)]
    for text in texts:
        draft_of(alice, text)
    with record_commands() as commands:
        first = as_alice.get(LIST).content.decode()
    assert len([command for command in commands if "drafts" in str(command)]) == 1
    shown = re.findall(r"Draft number \d\d\.", first)
    assert shown == texts[:2:-1]
    last = as_alice.get(re.search(r'href="(\?offset=\d+)"', first)[1].join((LIST, ""))).content
    assert re.findall(r"Draft number \d\d\.", last.decode()) == texts[2::-1]
    for offset in ("-1", "x", "9" * 19, "9" * 40):
        assert as_alice.get(LIST, {"offset": offset}).status_code == 200


def test_scheduled_posts_are_listed_by_their_time(as_alice, alice):
    later, sooner = (
        schedule(alice, text, due_at=tomorrow(hour))
        for text, hour in (("Later one", 12), ("Sooner one", 9))
    )
    draft_of(alice, "No time")
    page = as_alice.get(SCHEDULED).content.decode()
    assert page.index(f"draft-{sooner}-title") < page.index(f"draft-{later}-title")
    assert "No time" not in page
    assert "Sooner one" not in as_alice.get(LIST).content.decode()


def test_a_draft_is_edited_scheduled_and_unscheduled(as_alice, alice):
    values = {"title": "Emma", "item": "book", "stars": 5}
    draft = draft_of(alice, "So good", kind="review", details=values, content_warning="Plot")
    assert "Emma · Book · ★★★★★" in as_alice.get(LIST).content.decode()
    path = f"/drafts/{draft}/"
    page = as_alice.get(path).content.decode()
    assert "So good</textarea>" in page
    assert 'value="Emma"' in page
    assert 'value="Plot"' in page
    form = {"text": "Very good", "title": "Emma", "item": "book", "stars": "4"}
    assert as_alice.post(path, form | {"save": "draft"})["Location"] == LIST
    assert stored(draft, alice).content.details["stars"] == 4
    assert stored(draft, alice).content.content_warning == ""
    at = {"save": "schedule", "publish_at": local(tomorrow())}
    assert as_alice.post(path, form | at)["Location"] == SCHEDULED
    assert stored(draft, alice).due_at == tomorrow()
    assert as_alice.post(path, {"text": "", "title": "", **at}).status_code == 422
    assert as_alice.post(path, form | {"publish_at": ""}).status_code == 422
    assert as_alice.post(path, form | {"save": "draft"})["Location"] == LIST
    assert stored(draft, alice).due_at is None
    assert as_alice.post(path, form)["Location"] == "/"
    post = Post.objects.get()
    assert (post.text, post.kind) == ("Very good", "review")
    assert post.details == {"title": "Emma", "item": "book", "stars": 4}
    assert not drafts().count_documents({})


def test_a_scheduled_poll_lasts_from_its_publication(as_alice, alice):
    values = {"choice_1": "Tea", "choice_2": "Coffee", "choice_3": "", "choice_4": ""}
    values |= {"duration": 7200, "is_multiple": False, "hides_totals": True}
    poll = schedule(alice, "Which?", kind="poll", details=values)
    page = as_alice.get(f"/drafts/{poll}/").content.decode()
    # An app chose a duration that the page does not offer.
    assert re.search(r'<option value="7200" selected>\s*2 hours', page)
    services.publish_draft(draft=stored(poll, alice))
    post = Post.objects.get()
    assert post.details["choices"] == ["Tea", "Coffee"]
    assert post.details["hides_totals"]
    assert 7190 < post.details["ends_at"] - post.created_at.timestamp() < 7210


def test_publish_now_publishes_once(as_alice, alice):
    draft = draft_of(alice, "Now #tea")
    page = as_alice.get(LIST).content.decode()
    for _click in range(2):
        assert send(as_alice, page, f"/drafts/{draft}/publish/")["Location"] == "/"
    assert [post.text for post in Post.objects.all()] == ["Now #tea"]
    assert "Now #tea" in words(as_alice.get("/").content.decode())


def test_an_incomplete_draft_leads_to_its_form(as_alice, alice):
    values = {"choice_1": "Tea", "duration": 3600}
    for draft in (
        draft_of(alice, "Tea?", kind="poll", details=values),
        draft_of(alice, "psst", visibility="direct"),
        draft_of(alice, "", content_warning="Only this"),
    ):
        response = as_alice.post(f"/drafts/{draft}/publish/")
        assert response["Location"] == f"/drafts/{draft}/"
        assert 'class="message error"' in as_alice.get(response["Location"]).content.decode()
    assert not Post.objects.exists()


def test_a_draft_is_deleted_after_a_question(as_alice, alice):
    draft, post = draft_of(alice, "Gone soon"), schedule(alice)
    assert "Gone soon" in as_alice.get(f"/drafts/{draft}/delete/").content.decode()
    assert as_alice.post(f"/drafts/{draft}/delete/")["Location"] == LIST
    assert as_alice.post(f"/drafts/{post}/delete/")["Location"] == SCHEDULED
    assert not drafts().count_documents({})


def test_nobody_else_sees_or_changes_a_draft(client, alice, bob):
    draft = draft_of(alice, "Secret plan")
    client.force_login(bob)
    assert "Secret plan" not in client.get(LIST).content.decode()
    for path in ("", "publish/", "delete/"):
        assert client.post(f"/drafts/{draft}/{path}", {"text": "x"}).status_code == 404
    assert client.get(f"/drafts/{draft}/").status_code == 404
    assert stored(draft, alice).content.text == "Secret plan"


def test_of_two_edits_at_once_one_wins_and_the_other_is_told(alice):
    draft = stored(draft_of(alice), alice)
    services.change_draft(draft=draft, due_at=None, content=content_of("First"))
    with pytest.raises(DraftChanged):
        services.change_draft(draft=draft, due_at=None, content=content_of("Second"))
    with pytest.raises(DraftChanged):
        services.publish_draft(draft=draft)
    with pytest.raises(DraftChanged):
        services.delete_draft(draft=draft)
    assert stored(draft.id, alice).content.text == "First"
    assert not Post.objects.exists()


def test_publishing_at_once_from_several_places_publishes_once(alice):
    draft = stored(draft_of(alice), alice)

    results = set()

    def publish():
        with suppress(DraftChanged):
            results.add(services.publish_draft(draft=draft))

    at_once(*[publish] * 4)
    assert results == {Post.objects.get().pk}


# --- Limits ------------------------------------------------------------------------------------
def test_the_number_of_drafts_is_limited(as_alice, alice, monkeypatch):
    monkeypatch.setattr(services, "MAX_DRAFTS", 2)
    draft_of(alice)
    schedule(alice)
    with pytest.raises(Refused, match="drafts and scheduled posts"):
        draft_of(alice)
    response = as_alice.post(COMPOSER, {"text": "x", "save": "draft"})
    assert response.status_code == 422
    assert "You have 2 drafts and scheduled posts." in response.content.decode()


def test_the_number_of_posts_on_a_day_is_limited(alice, monkeypatch):
    monkeypatch.setattr(services, "MAX_DUE_PER_DAY", 2)
    first, _second = (schedule(alice, due_at=tomorrow(hour)) for hour in (0, 23))
    with pytest.raises(CannotSchedule):
        schedule(alice, due_at=tomorrow())
    # Moving a post within its day is allowed.
    services.change_draft(draft=stored(first, alice), due_at=tomorrow(5))
    later = schedule(alice, due_at=tomorrow() + timedelta(days=1))
    with pytest.raises(CannotSchedule):
        services.change_draft(draft=stored(later, alice), due_at=tomorrow())


# --- Pictures ----------------------------------------------------------------------------------
def test_cleanup_keeps_the_pictures_of_drafts(as_alice, alice, no_pictures):
    first, second = uploaded(as_alice, picture(), picture(color="blue"))
    data = {"text": "Look", "media": [first, second], "save": "draft", f"alt_{first}": "Red"}
    assert as_alice.post(COMPOSER, data).status_code == 302
    draft = only_draft()["_id"]
    assert as_alice.get(LIST).content.decode().count('class="thumb"') == 2
    assert as_alice.get(f"/drafts/{draft}/").content.decode().count('name="media"') == 2
    long_ago = timezone.now() - timedelta(days=400)
    Picture.objects.update(created_at=long_ago)
    tasks.clean_up_pictures()
    assert Picture.objects.count() == 2
    with pytest.raises(CannotAttach):
        discard_picture(picture=Picture.objects.get(pk=first))
    # A removed picture is deleted a day later, as other unpublished ones.
    as_alice.post(f"/drafts/{draft}/", {"text": "Look", "media": [first], "save": "draft"})
    tasks.clean_up_pictures()
    assert Picture.objects.count() == 2
    Picture.objects.update(created_at=long_ago)
    tasks.clean_up_pictures()
    assert [picture.pk for picture in Picture.objects.all()] == [int(first)]
    services.publish_draft(draft=stored(draft, alice))
    assert [shown["alt"] for shown in Post.objects.get().media] == ["Red"]


def test_a_picture_belongs_to_one_draft(as_alice, alice, no_pictures):
    (shown,) = uploaded(as_alice, picture())
    data = {"text": "Look", "media": [shown], "save": "draft"}
    assert as_alice.post(COMPOSER, data).status_code == 302
    response = as_alice.post(COMPOSER, data | {"text": "Again"})
    assert (response.status_code, media_of(response)) == (422, [shown])
    draft = stored(only_draft()["_id"], alice)
    services.delete_draft(draft=draft)
    assert as_alice.post(COMPOSER, data | {"text": "Again"}).status_code == 302
    assert 'class="thumb"' in as_alice.get(LIST).content.decode()
    Picture.objects.update(post=publish(alice))
    assert 'class="thumb"' not in as_alice.get(LIST).content.decode()


def test_required_descriptions_are_also_required_of_drafts(as_alice, alice, no_pictures):
    User.objects.filter(pk=alice.pk).update(description_reminder="require")
    (shown,) = uploaded(as_alice, picture())
    data = {"text": "Look", "media": [shown]}
    assert as_alice.post(COMPOSER, data | {"save": "draft"}).status_code == 302
    draft = only_draft()["_id"]
    at = {"save": "schedule", "publish_at": local(tomorrow())}
    assert as_alice.post(f"/drafts/{draft}/", data | at).status_code == 422
    assert as_alice.post(f"/drafts/{draft}/publish/")["Location"] == f"/drafts/{draft}/"
    assert not Post.objects.exists()


@pytest.mark.parametrize("save", [draft_of, schedule])
def test_publish_now_asks_about_mentioned_users_who_cannot_read_the_post(
    as_alice, alice, bob, save
):
    draft = save(alice, "@bob look", visibility="followers")
    path = f"/drafts/{draft}/publish/"
    response = as_alice.post(path)
    assert response.status_code == 422
    page = response.content.decode()
    assert "@bob does not follow you and will not see this post." in words(page)
    assert 'name="confirm_unreached" value="on"' in page
    assert not Post.objects.exists()
    assert as_alice.post(path, {"confirm_unreached": "on"})["Location"] == "/"
    assert Post.objects.get().visibility == "followers"
    assert not drafts().count_documents({})


def test_publish_now_does_not_ask_about_followers(as_alice, alice, bob):
    follow(bob, alice)
    draft = draft_of(alice, "@bob look", visibility="followers")
    assert as_alice.post(f"/drafts/{draft}/publish/")["Location"] == "/"


def test_the_reason_has_the_language_of_the_owner(alice, bob):
    change_settings(uid=alice.pk, language="de")
    draft = schedule(alice, "@bob only you", visibility="direct")
    block_user(owner=bob.pk, other=alice.pk)
    let_come_due(draft)
    publish_due_post(draft_id=draft)
    with translation.override("de"):
        expected = gettext("You cannot send direct posts to @%(name)s. Remove this mention.")
    assert stored(draft, alice).problem == expected % {"name": "bob"} != ""
    assert "Erwähnung" in expected


def test_requests_at_the_same_time_keep_the_limit_of_a_day(alice, monkeypatch):
    monkeypatch.setattr(services, "MAX_DUE_PER_DAY", 2)
    unscheduled = [stored(draft_of(alice), alice) for _ in range(2)]
    due_at = timezone.now() + timedelta(hours=1)

    def plan():
        with suppress(CannotSchedule):
            schedule(alice, due_at=due_at)

    def reschedule(draft):
        with suppress(CannotSchedule):
            services.change_draft(draft=draft, due_at=due_at)

    at_once(plan, plan, *(partial(reschedule, draft) for draft in unscheduled))
    assert drafts().count_documents({"due_at": {"$ne": None}}) == 2
