"""Follows in some languages only: which posts the home timeline leaves out."""

import pytest

from accounts.infra.cursors import PageBounds
from accounts.selectors.relationships import languages_by_followee, relationships
from accounts.services.blocks_and_mutes import block_user, unblock_user
from accounts.services.follow_requests import accept_follow_request, reject_follow_request
from accounts.services.follow_settings import hide_shares, set_languages
from accounts.services.follows import unfollow_user
from accounts.services.profiles import set_private
from feed.selectors.new_posts import new_posts_on_list
from feed.selectors.user_lists import owned_list
from feed.services.tags import follow_tag
from feed.services.user_lists import add_to_list, create_list
from feed.timeline.home import count_new_posts, home_page, new_posts_at_home
from tests.accounts.graph_promises import check_relationships
from tests.actions import publish_post, share_post
from tests.api.api_client import Api
from tests.factories import follow


def home(viewer, **bounds):
    page = home_page(viewer=viewer.pk, bounds=PageBounds(limit=20, **bounds))
    return [post.entry_id for post in page.posts]


def write(author, text, language):
    return publish_post(author=author.pk, text=text, language=language)


def languages_of(follower, followee):
    languages = relationships(viewer=follower.pk, uids=[followee.pk]).languages
    return set(languages.get(followee.pk, ()))


def choose(follower, followee, *languages):
    return set_languages(follower=follower.pk, followee=followee.pk, languages=languages)


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def posts(alice, bob):
    """The ids of a post by bob in German, one in English, and one without a language."""
    follow(alice, bob)
    return [write(bob, "1 2 3", code) for code in ("de", "en", "")]


def test_home_shows_only_posts_in_the_chosen_languages(alice, bob, carol, posts):
    german, english, unknown = posts
    follow(alice, carol)
    carols = write(carol, "Ciao", "it")
    choose(alice, bob, "de", "fr")
    assert home(alice) == [carols, unknown, german]
    assert home(alice, min_id=1) == [carols, unknown, german]
    assert [post.id for post in new_posts_at_home(viewer=alice.pk, post_ids=posts)] == [
        german,
        unknown,
    ]
    assert count_new_posts(viewer=alice.pk, since_id=german - 1, limit=9) == 3
    assert [int(row["id"]) for row in Api(alice).get("timelines/home").json()] == home(alice)
    # The choice is about home and lists, not about the profile or other viewers.
    profile = Api(alice).get(f"accounts/{bob.pk}/statuses").json()
    assert [int(row["id"]) for row in profile] == [unknown, english, german]
    follow(carol, bob)
    assert home(carol) == [carols, unknown, english, german]
    choose(alice, bob, "en")
    assert home(alice) == [carols, unknown, english]
    choose(alice, bob)
    assert home(alice) == [carols, unknown, english, german]
    assert check_relationships() >= {(alice.pk, bob.pk)}


def test_an_edit_of_the_language_takes_effect(alice, bob, posts):
    choose(alice, bob, "de")
    Api(bob).put(f"statuses/{posts[1]}", status="1 2 3", language="de")
    assert home(alice) == posts[::-1]


def test_shares_are_shown_in_all_languages(alice, bob, carol, posts):
    german, english, unknown = posts
    follow(alice, carol)
    choose(alice, bob, "de")
    share = share_post(post_id=english, actor=carol)
    assert home(alice) == [share, unknown, german]
    choose(alice, bob, "en")
    # The post itself is shown again, so the share would repeat it.
    assert home(alice) == [unknown, english]
    choose(alice, carol, "it")
    choose(alice, bob, "de")
    assert home(alice) == [share, unknown, german]


def test_followed_hashtags_are_shown_in_all_languages(alice, bob, posts):
    tagged = write(bob, "#tea", "en")
    choose(alice, bob, "de")
    assert tagged not in home(alice)
    follow_tag(uid=alice.pk, tag="tea")
    assert tagged in home(alice)


def test_lists_show_only_posts_in_the_chosen_languages(alice, bob, posts):
    german, _english, unknown = posts
    list_id = create_list(owner=alice, title="Friends")
    user_list = owned_list(owner=alice.pk, list_id=list_id)
    add_to_list(owner=alice, user_list=user_list, uids=[bob.pk])
    user_list = owned_list(owner=alice.pk, list_id=list_id)
    choose(alice, bob, "de")
    rows = Api(alice).get(f"timelines/list/{list_id}").json()
    assert [int(row["id"]) for row in rows] == [unknown, german]
    new = new_posts_on_list(owner=alice.pk, user_list=user_list, post_ids=posts)
    assert [post.id for post in new] == [german, unknown]


def test_a_page_costs_no_more_with_languages(alice, bob, posts, record_commands):
    home(alice)
    with record_commands() as before:
        home(alice)
    choose(alice, bob, "de")
    with record_commands() as after:
        home(alice)
    assert len(after) == len(before)


def test_only_followed_users_have_languages(alice, bob):
    assert choose(alice, bob, "de") is False
    assert languages_of(alice, bob) == set()
    check_relationships()


def test_the_settings_of_a_follow_end_with_it(alice, bob):
    follow(alice, bob)
    choose(alice, bob, "de")
    assert languages_of(bob, alice) == set()
    unfollow_user(follower=alice.pk, followee=bob.pk)
    follow(alice, bob)
    assert languages_of(alice, bob) == set()


def test_a_restored_follow_has_its_languages(alice, bob):
    follow(alice, bob)
    choose(alice, bob, "de")
    block_user(owner=alice.pk, other=bob.pk)
    unblock_user(owner=alice.pk, other=bob.pk)
    assert languages_of(alice, bob) == {"de"}
    check_relationships()


def test_an_accepted_request_has_its_settings(alice, bob):
    set_private(uid=bob.pk, is_private=True)
    relationship = (
        Api(alice).post(f"accounts/{bob.pk}/follow", languages=["de"], reblogs=False).json()
    )
    assert (relationship["requested"], relationship["languages"]) == (True, ["de"])
    assert relationship["showing_reblogs"] is False
    accept_follow_request(followee=bob.pk, follower=alice.pk)
    check_relationships()
    (relationship,) = Api(alice).get("accounts/relationships", id=bob.pk).json()
    assert (relationship["following"], relationship["languages"]) == (True, ["de"])
    assert relationship["showing_reblogs"] is False


@pytest.mark.parametrize(
    "end",
    [
        lambda alice, bob: reject_follow_request(followee=bob.pk, follower=alice.pk),
        lambda alice, bob: unfollow_user(follower=alice.pk, followee=bob.pk),
        lambda alice, bob: block_user(owner=bob.pk, other=alice.pk),
        lambda alice, bob: block_user(owner=alice.pk, other=bob.pk),
    ],
    ids=["reject", "withdraw", "block by the followee", "block by the follower"],
)
def test_the_settings_of_a_request_end_with_it(alice, bob, end):
    set_private(uid=bob.pk, is_private=True)
    follow(alice, bob)
    choose(alice, bob, "de")
    hide_shares(owner=alice.pk, other=bob.pk, is_hidden=True)
    end(alice, bob)
    check_relationships()
    assert languages_by_followee(owner=alice.pk) == {}


# --- API and page --------------------------------------------------------------------------------
def test_apps_choose_languages(alice, bob):
    api, path = Api(alice), f"accounts/{bob.pk}/follow"
    assert api.post(path).json()["languages"] is None
    assert api.post(path, languages=["pt-BR", "nb", "pt"]).json()["languages"] == ["no", "pt"]
    # Without the input, the languages stay.
    assert api.post(path, reblogs=False).json()["languages"] == ["no", "pt"]
    assert api.post(path, languages=None).json()["languages"] == ["no", "pt"]
    for invalid in (["Klingon!"], ["de", "x"], ["de"] * 300, "", [["de"]], [{}]):
        assert api.post(path, languages=invalid).status_code == 422, invalid
    assert api.get("accounts/relationships", id=bob.pk).json()[0]["languages"] == ["no", "pt"]
    assert api.post(path, languages=[]).json()["languages"] is None
    form = Api(alice).form(path, {"languages[]": ["de", "en"]}).json()
    assert form["languages"] == ["de", "en"]
    assert Api(alice).form(path, {"languages[]": [""]}).json()["languages"] is None


def test_the_page_offers_the_languages_of_the_author_first(as_alice, alice, bob, posts):
    menu = as_alice.get("/@bob/").content.decode()
    assert 'href="/@bob/languages/"' in menu
    page = as_alice.get("/@bob/languages/")
    assert {code for code, _name in page.context["suggested"]} == {"de", "en"}
    assert "checked" not in page.content.decode().partition("panel")[2].partition("</form>")[0]
    choose(alice, bob, "tok", "it")
    page = as_alice.get("/@bob/languages/")
    assert {code for code, _name in page.context["suggested"]} == {"de", "en", "it", "tok"}
    assert page.content.decode().count(" checked") == 2
    response = as_alice.post("/@bob/languages/", {"languages": ["de", "tok"]}, follow=True)
    assert "Languages saved." in response.content.decode()
    assert languages_of(alice, bob) == {"de", "tok"}
    assert as_alice.post("/@bob/languages/", {"languages": ["xx"]}).status_code == 422
    assert languages_of(alice, bob) == {"de", "tok"}
    as_alice.post("/@bob/languages/", {})
    assert languages_of(alice, bob) == set()


def test_the_page_is_for_followers_only(as_alice, alice, bob, carol):
    response = as_alice.get("/@carol/languages/", follow=True)
    assert "Follow Carol Clark first to choose languages." in response.content.decode()
    as_alice.post("/@carol/languages/", {"languages": ["de"]})
    assert languages_by_followee(owner=alice.pk) == {}
    assert as_alice.get("/@nobody/languages/").status_code == 404


def test_private_posts_do_not_reveal_their_language_to_a_requester(as_alice, alice, bob):
    write(bob, "1 2 3", "fr")
    set_private(uid=bob.pk, is_private=True)
    follow(alice, bob)
    page = as_alice.get("/@bob/languages/")
    assert page.context["suggested"] == []
