"""The steps after sign-up, and suggestions of people in the home timeline."""

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from accounts import user_cards
from accounts.infra import rate_limits
from accounts.models import User
from accounts.selectors.follow_graph import followee_ids, has_follow_request
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user
from accounts.services.follows import unfollow_user
from accounts.services.profiles import set_private
from feed.attributes import attributes_of
from feed.models import Post
from feed.selectors.people import ENOUGH_FOLLOWEES
from feed.selectors.tags import followed_tags
from feed.services import tags as tag_services
from feed.services.tags import follow_tag
from feed.store import stats
from feed.store import tags as tag_store
from tests.factories import PASSWORD, add_conversation, follow, follow_many, people, publish
from tests.uploads import picture

from .reading_html import words

CAUGHT_UP = "caught up"
STEPS = ("/welcome/", "/welcome/topics/", "/welcome/people/")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def writers():
    """Return authors who write about tea, and two of them also about cats."""
    authors = people(6, "writer")
    texts = [(author, "#tea") for author in authors] + [(author, "#cats") for author in authors[:2]]
    Post.objects.bulk_create(
        Post(
            author=author,
            text=f"{author.username} likes {tag}",
            attributes=attributes_of(text=tag),
            delivery_state=Post.DeliveryState.DONE,
        )
        for author, tag in texts
    )
    now = timezone.now()
    stats.add_counts(
        counts={(tag, tag_store.METRIC, now): count for tag, count in (("#tea", 6), ("#cats", 2))}
    )
    return authors


def text_of(response):
    return words(response.content.decode())


def test_a_new_user_walks_through_three_steps_and_follows_nobody_by_default(client, writers):
    data = {"username": "nora", "email": "nora@example.org", "password1": PASSWORD}
    response = client.post("/accounts/signup/", data, follow=True)
    assert response.redirect_chain == [("/welcome/", 302)]
    for number, path in enumerate(STEPS, 1):
        page = client.get(path).content.decode()
        assert f"Step {number} of 3" in words(page)
        assert " checked" not in page
    nora = User.objects.get(username="nora")
    assert followee_ids(follower=nora.pk) == []
    assert followed_tags(viewer=nora.pk) == []
    assert "You are not following anyone yet" in text_of(client.get("/"))


def test_logging_in_leads_home(client, alice):
    data = {"login": "alice", "password": PASSWORD}
    assert client.post("/accounts/login/", data)["Location"] == "/"


def test_the_first_step_saves_name_and_picture_and_keeps_the_bio(as_alice, alice):
    User.objects.filter(pk=alice.pk).update(bio="I was here")
    data = {"display_name": "Alice A.", "avatar": SimpleUploadedFile("me.png", picture())}
    assert as_alice.post("/welcome/", data)["Location"] == "/welcome/topics/"
    alice.refresh_from_db()
    assert (alice.display_name, alice.bio, bool(alice.avatar)) == ("Alice A.", "I was here", True)


@pytest.mark.parametrize(
    "data",
    [
        {"display_name": "x" * 31},
        {"display_name": "A", "avatar": SimpleUploadedFile("me.png", b"no picture")},
    ],
)
def test_the_first_step_shows_errors_beside_the_field(as_alice, alice, data):
    response = as_alice.post("/welcome/", data)
    assert response.status_code == 422
    assert "field-errors" in response.content.decode()
    alice.refresh_from_db()
    assert alice.display_name == "Alice Adams"


def test_topics_are_followed_and_unfollowed(as_alice, alice, writers):
    page = as_alice.get("/welcome/topics/").content.decode()
    assert "You follow the hashtags that you choose" in words(page)
    assert page.index('value="tea"') < page.index('value="cats"')
    for _twice in range(2):
        response = as_alice.post(STEPS[1], {"tag": ["tea", "#Cats"], "shown": ["tea", "cats"]})
        assert response["Location"] == "/welcome/people/"
        assert followed_tags(viewer=alice.pk) == ["tea", "cats"]
    assert as_alice.get(STEPS[1]).content.decode().count(" checked") == 2
    follow_tag(uid=alice.pk, tag="hidden")
    as_alice.post(STEPS[1], {"tag": ["cats"], "shown": ["tea", "cats"]})
    assert followed_tags(viewer=alice.pk) == ["cats", "hidden"], "only shown tags are unfollowed"
    assert 'value="hidden" checked' in as_alice.get(STEPS[1]).content.decode()


def test_invalid_topics_are_refused(as_alice, alice):
    for tag in ("", "no-tag", "1", "a\x00b", "x" * 600, [f"t{n}" for n in range(400)]):
        response = as_alice.post(STEPS[1], {"tag": tag})
        assert response.status_code == 422, tag
        assert "Choose from the list." in text_of(response)
    assert followed_tags(viewer=alice.pk) == []


def test_too_many_topics_are_refused_with_the_limit(as_alice, alice, monkeypatch):
    monkeypatch.setattr(tag_services, "MAX_FOLLOWED_TAGS", 1)
    response = as_alice.post(STEPS[1], {"tag": ["tea", "cats"]})
    assert response.status_code == 422
    assert "You can follow up to 1 hashtags" in text_of(response)


def test_the_third_step_suggests_authors_about_the_topics_first(as_alice, alice, writers):
    follow_tag(uid=alice.pk, tag="cats")
    suggestions = as_alice.get(STEPS[2]).context["suggestions"]
    reasons = {suggestion.card.username: suggestion.tag for suggestion in suggestions}
    assert next(iter(reasons)) in ("writer0", "writer1")
    assert reasons["writer0"] == reasons["writer1"] == "cats"
    assert len(reasons) == 6
    assert "Writes about #cats" in text_of(as_alice.get(STEPS[2]))


def test_selected_people_are_followed_once(as_alice, alice, writers):
    uids = [str(writer.pk) for writer in writers]
    for _twice in range(2):
        response = as_alice.post(STEPS[2], {"uid": uids[:2], "shown": uids}, follow=True)
        assert response.redirect_chain == [("/", 302)]
        assert "You followed 2 people." in text_of(response)
        assert sorted(followee_ids(follower=alice.pk)) == sorted(map(int, uids[:2]))
    as_alice.post(STEPS[2], {"uid": uids[:2], "shown": uids[:4], "all": "1"})
    assert len(followee_ids(follower=alice.pk)) == 4


def test_people_who_cannot_be_followed_are_skipped(as_alice, alice, writers):
    blocked, suspended, private, *_, fine = writers
    block_user(owner=blocked.pk, other=alice.pk)
    suspend_user(uid=suspended.pk)
    set_private(uid=private.pk, is_private=True)
    uids = [blocked.pk, suspended.pk, private.pk, alice.pk, 12345, fine.pk]
    as_alice.post(STEPS[2], {"uid": uids})
    assert followee_ids(follower=alice.pk) == [fine.pk]
    assert has_follow_request(follower=alice.pk, followee=private.pk)


def test_invalid_people_are_refused(as_alice, alice):
    for uid in ("x", "-1", "9" * 30, list(range(60))):
        response = as_alice.post(STEPS[2], {"uid": uid})
        assert response.status_code == 422, uid
        assert "Choose from the list." in text_of(response)


def test_too_many_follows_are_refused_with_the_time_to_wait(as_alice, alice, writers, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "follow": "2/d"}
    rate_limits.parse_rate.cache_clear()
    response = as_alice.post(STEPS[2], {"uid": [writer.pk for writer in writers]})
    assert response.status_code == 429
    assert response["Retry-After"]
    assert "You have followed 2 people" in text_of(response)
    assert len(followee_ids(follower=alice.pk)) == 2


def test_an_empty_home_suggests_people_and_shows_active_posts(as_alice, alice, writers, carol):
    post = publish(carol, "Everybody likes this")
    add_conversation(post, likers=writers[:3])
    response = as_alice.get("/")
    text = text_of(response)
    assert len(response.context["suggestions"]) == 6
    assert "Meanwhile, active here" in text
    assert "Everybody likes this" in text
    assert CAUGHT_UP not in text
    assert 'hx-get="/beside/?people=0"' in response.content.decode()


def test_home_suggests_three_people_between_posts_until_five_are_followed(as_alice, alice, writers):
    follow_many(writers[:2], *people(4, "other"))
    for count, writer in enumerate(writers[:ENOUGH_FOLLOWEES]):
        response = as_alice.get("/")
        assert len(response.context["suggestions"]) == (3 if count else 6)
        assert ("active_posts" in response.context) is (count == 0)
        follow_many([alice], writer)
    page = as_alice.get("/").content.decode()
    assert "Who to follow" not in page
    assert "Meanwhile" not in page
    unfollow_user(follower=alice.pk, followee=writers[0].pk)
    assert "Who to follow" not in as_alice.get("/").content.decode()


def test_suggestions_are_on_the_first_page_only(as_alice, alice, writers):
    follow(alice, writers[0])
    newest = as_alice.get("/").context["page"].posts[0].id
    assert "suggestions" not in as_alice.get(f"/?max_id={newest}").context


@pytest.mark.parametrize("is_htmx", [True, False])
def test_hidden_suggestions_stay_hidden(as_alice, alice, writers, is_htmx):
    follow(alice, writers[0])
    assert "Hide suggestions" in as_alice.get("/").content.decode()
    headers = {"HX-Request": "true"} if is_htmx else {}
    for _twice in range(2):
        response = as_alice.post(reverse("hide_suggestions"), headers=headers)
        assert response.status_code == (200 if is_htmx else 302)
    for _twice in range(2):
        assert "Who to follow" not in as_alice.get("/").content.decode()


def test_enough_followed_users_cost_home_no_further_command(
    as_alice, alice, writers, record_commands
):
    follow_many([alice], *writers)

    def commands():
        user_cards.clear_cards()
        with record_commands() as recorded:
            as_alice.get("/")
        return [(name, command.get(name)) for name, command in recorded]

    commands()
    after_first = commands()
    as_alice.post(reverse("hide_suggestions"))
    assert commands() == after_first


@pytest.mark.parametrize("followed", [0, 1, 4])
def test_suggestions_cost_home_a_few_commands(as_alice, alice, writers, record_commands, followed):
    follow_many([alice], *writers[:followed])
    publish(alice, "My own")

    def commands():
        user_cards.clear_cards()
        with record_commands() as recorded:
            assert as_alice.get("/").status_code == 200
        return len(recorded)

    commands()
    with_suggestions = commands()
    as_alice.post(reverse("hide_suggestions"))
    assert with_suggestions - commands() <= (4 if followed else 7)


def test_a_user_who_follows_nobody_is_never_caught_up(as_alice, alice, writers):
    for _twice in range(2):
        assert CAUGHT_UP not in text_of(as_alice.get("/"))
        assert CAUGHT_UP not in text_of(as_alice.get("/unread/"))
    publish(alice, "Only me")
    follow_tag(uid=alice.pk, tag="tea")
    for _twice in range(2):
        response = as_alice.get("/")
        assert len(response.context["page"].posts) == 7
        assert CAUGHT_UP not in text_of(response)
        assert CAUGHT_UP not in text_of(as_alice.get("/unread/"))
    position = response.context["page"].posts[0].entry_id
    as_alice.post("/read/", {"position": position})
    for path in ("/", "/unread/", f"/?max_id={position}&top={position}"):
        assert CAUGHT_UP not in text_of(as_alice.get(path))
    follow(alice, writers[0])
    assert CAUGHT_UP in text_of(as_alice.get("/unread/"))


def test_suggestions_are_cached_but_new_topics_bring_new_people(as_alice, alice, bob, writers):
    cache.clear()
    follow(alice, bob)
    follow(bob, writers[5])
    assert as_alice.get(STEPS[2]).context["suggestions"][0].card.username == "writer5"
    as_alice.post(STEPS[1], {"tag": ["cats"]})
    tags = [suggestion.tag for suggestion in as_alice.get(STEPS[2]).context["suggestions"]]
    assert "cats" in tags
