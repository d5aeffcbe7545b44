"""The search finds people by words of their names and bios, the closest people first."""

import pytest

from accounts.selectors import user_search
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.profiles import change_username, set_private, update_profile
from tests.factories import UserFactory, follow, follow_many, people

from .query_plans import examined, plan_of
from .search_results import found_usernames


@pytest.mark.parametrize(
    "q", ["jos", "JOS", "@jose", "josé pé", "JOSE PEREZ", "  jose  ", "\uff4a\uff4f\uff53", "josé_"]
)
def test_people_are_found_by_prefixes_of_their_names(search, bob, q):
    UserFactory(username="jose_1", display_name="José Pérez")
    assert found_usernames(search(q)) == ["jose_1"]


@pytest.mark.parametrize(
    ("name", "q"),
    [
        ("田中 花子", "田中"),
        ("Ольга Иванова", "ольга"),
        ("🦊 Fox", "🦊"),
        ("ﬁona", "FIO"),
        ("나연", "나"),
    ],
)
def test_people_are_found_in_every_script(search, bob, name, q):
    UserFactory(username="somebody", display_name=name)
    assert found_usernames(search(q)) == ["somebody"]


@pytest.mark.parametrize(
    "q",
    ["pérez", "PEREZ", "gar", "garcia jose", "luc", "jean-luc", "pere jos", "@perez", "mueller"],
)
def test_people_are_found_by_every_word_of_their_names(search, bob, q):
    UserFactory(username="j.mueller", display_name="José Jean-Luc García Pérez")
    assert found_usernames(search(q)) == ["j.mueller"]


@pytest.mark.parametrize("q", ["perez nobody", "ere", "jose perez x", "...", "_"])
def test_all_words_must_match_a_name(search, bob, q):
    UserFactory(username="jp", display_name="José Pérez")
    assert found_usernames(search(q, "people")) == []


def test_renamed_people_are_found_by_their_new_words(search, bob):
    update_profile(uid=bob.pk, display_name="Robert Brown", bio="")
    assert found_usernames(search("brown")) == ["bob"]
    update_profile(uid=bob.pk, display_name="Robert Green", bio="")
    change_username(uid=bob.pk, username="bobby_tables")
    assert found_usernames(search("brown", "people")) == []
    assert found_usernames(search("green")) == found_usernames(search("tables")) == ["bobby_tables"]


def test_user_names_rank_first_and_people_appear_once(search):
    UserFactory(username="zoe", display_name="Max Frisch")
    UserFactory(username="maxine", display_name="Maxine")
    UserFactory(username="max", display_name="Nobody")
    assert found_usernames(search("max")) == ["max", "maxine", "zoe"]


def test_people_close_to_the_viewer_come_first(client, search, alice, bob):
    far, popular, near, followed, by_bio = people(5, "robin_")
    update_profile(uid=by_bio.pk, display_name="", bio="Robin likes robins")
    change_username(uid=by_bio.pk, username="aaron")
    follow(alice, bob, followed)
    follow(bob, near)
    follow_many(people(3, "fan"), popular)
    client.force_login(alice)
    usernames = [user.username for user in (followed, near, popular, far)]
    assert found_usernames(search("robin", "people")) == [*usernames, "aaron"]
    client.logout()
    assert found_usernames(search("robin", "people"))[0] == popular.username


def test_followers_of_private_people_stay_secret(client, search, alice, bob):
    """The order of results must not tell who follows a private user."""
    first, private = people(2, "robin")
    follow(alice, bob)
    follow(bob, private)
    set_private(uid=private.pk, is_private=True)
    client.force_login(alice)
    follow_many(people(2, "fan"), first)
    assert found_usernames(search("robin")) == [first.username, private.username]


def test_pages_of_people_have_no_holes(search, monkeypatch):
    users = people(45, "many")
    seen, offset = [], 0
    while offset is not None:
        response = search("many", "people", offset=offset)
        seen += found_usernames(response)
        offset = response.context["next_offset"]
    assert sorted(seen) == sorted(user.username for user in users)


@pytest.mark.parametrize(
    "q", ["jsoe", "jose perze", "peres", "prez", "pperez", "jos\u00e9 p\u00e9raz"]
)
def test_one_wrong_letter_is_tolerated_in_a_name(search, bob, q):
    UserFactory(username="jp", display_name="José Pérez")
    assert found_usernames(search(q)) == ["jp"]


@pytest.mark.parametrize("q", ["ptrex", "jp2", "jx", "gardenrr", "perezxx", "zerep"])
def test_two_wrong_letters_short_words_and_bios_must_match(search, bob, q):
    UserFactory(username="jp", display_name="José Pérez", bio="gardener")
    assert found_usernames(search(q)) == []


def test_similar_names_come_after_matching_names(search):
    UserFactory(username="john", display_name="John Smith")
    UserFactory(username="jhonatan", display_name="Jhonatan Silva")
    assert found_usernames(search("jhon")) == ["jhonatan", "john"]


def test_people_are_found_by_words_of_their_bios_while_they_are_in_the_bio(search, bob):
    update_profile(uid=bob.pk, display_name="Bob", bio="Beekeeper in Łódź")
    assert found_usernames(search("beekeep lodz")) == found_usernames(search("bob bee")) == ["bob"]
    update_profile(uid=bob.pk, display_name="Bob", bio="Retired")
    assert found_usernames(search("beekeeper")) == []


def test_of_very_many_matches_the_followed_people_are_ranked(client, search, alice, monkeypatch):
    monkeypatch.setattr(user_search, "MAX_CANDIDATES", 10)
    users = people(30, "many")
    last = max(users, key=lambda user: user.username)
    follow(alice, last)
    client.force_login(alice)
    assert found_usernames(search("many"))[0] == last.username


def test_blocked_and_inactive_people_are_not_found(client, search, alice):
    blocked, blocking, deleted, muted, private = people(5, "same")
    block_user(owner=alice.pk, other=blocked.pk)
    block_user(owner=blocking.pk, other=alice.pk)
    mute_user(owner=alice.pk, other=muted.pk, until=None)
    set_private(uid=private.pk, is_private=True)
    deleted.is_active = False
    deleted.save()
    client.force_login(alice)
    assert found_usernames(search("same")) == [muted.username, private.username]


def test_a_renamed_user_is_found_only_by_the_new_name(search, bob):
    change_username(uid=bob.pk, username="robert")
    update_profile(uid=bob.pk, display_name="Robert Brown", bio="")
    assert found_usernames(search("bob", "people")) == []
    assert found_usernames(search("rob")) == ["robert"]


@pytest.mark.parametrize("q", ["many", "a many", "manz1", "many1 alice"])
def test_a_people_search_reads_ranges_of_one_index(client, search, alice, record_commands, q):
    people(60, "many")
    people(60, "other")
    client.force_login(alice)
    with record_commands() as commands:
        search(q, "people")
    searches = [command for _, command in commands if "search_keys" in str(command)]
    searches = [command for command in searches if command.get("aggregate") == "accounts_user"]
    assert searches
    for command in searches:
        plan = plan_of(command)
        assert "COLLSCAN" not in str(plan)
        assert examined(plan) <= 125
        assert max(_keys_examined(plan)) <= 400  # of 1,700


def _keys_examined(plan):
    """Yield the number of examined keys of each part of a plan."""
    parts = plan if isinstance(plan, list) else plan.values() if isinstance(plan, dict) else ()
    if isinstance(plan, dict) and "totalKeysExamined" in plan:
        yield plan["totalKeysExamined"]
    for part in parts:
        yield from _keys_examined(part)
