"""Filters through the current and the old API."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from feed.services.filters import add_phrase_filter
from feed.store import filters
from tests.actions import add_comment
from tests.api.api_client import Api
from tests.factories import follow, publish, publish_many


def home(viewer):
    return Api(viewer).get("timelines/home").json()


def create_filter(api, **data):
    data = {"title": "Pets", "context": ["home"], **data}
    return api.post("/api/v2/filters", **data).json()


def test_a_filter_collapses_matching_posts_and_names_the_reason(alice, bob):
    follow(alice, bob)
    publish(bob, "A cat and a dog")
    api = Api(alice)
    phrases = [{"keyword": "cat"}, {"keyword": "mouse"}]
    created = create_filter(api, keywords_attributes=phrases, expires_in=3600)
    assert [keyword["keyword"] for keyword in created["keywords"]] == ["cat", "mouse"]
    lifetime = datetime.fromisoformat(created["expires_at"]) - timezone.now()
    assert timedelta(minutes=59) < lifetime < timedelta(hours=1)
    (status,) = home(alice)
    filter_info = {name: created[name] for name in created if name not in ("keywords", "statuses")}
    assert status["filtered"] == [
        {"filter": filter_info, "keyword_matches": ["cat"], "status_matches": None}
    ]
    assert home(bob)[0]["filtered"] == []
    path = f"/api/v2/filters/{created['id']}"
    changed = api.put(path, title="Animals", filter_action="hide", expires_in="").json()
    assert changed["expires_at"] is None
    assert changed["filter_action"] == "hide"
    assert home(alice) == []
    assert api.delete(path).json() == {}
    assert len(home(alice)) == 1
    assert api.get(path).status_code == 404


def test_keywords_are_added_changed_and_deleted(alice, bob):
    api = Api(alice)
    created = create_filter(api)
    path = f"/api/v2/filters/{created['id']}"
    assert created["keywords"] == []
    keywords = [
        api.post(f"{path}/keywords", keyword=word).json() for word in ("one", "two", "three")
    ]
    assert api.get(f"{path}/keywords").json() == keywords
    keyword_path = f"/api/v2/filters/keywords/{keywords[0]['id']}"
    assert api.put(keyword_path, keyword="uno").json()["keyword"] == "uno"
    assert api.get(keyword_path).json()["keyword"] == "uno"
    assert (
        Api(bob).get(keyword_path).status_code == Api(bob).delete(keyword_path).status_code == 404
    )
    assert api.delete(keyword_path).json() == {}
    attributes = [
        {"id": keywords[1]["id"], "keyword": "dos"},
        {"id": keywords[2]["id"], "_destroy": True},
        {"keyword": "four"},
    ]
    changed = api.put(path, keywords_attributes=attributes).json()
    assert [keyword["keyword"] for keyword in changed["keywords"]] == ["dos", "four"]
    assert changed["keywords"][0]["id"] == keywords[1]["id"]
    assert api.put(path, keywords_attributes=[{"id": "404"}]).status_code == 404
    assert api.get(path).json() == changed
    (line,) = filters.filters_of(viewer=alice.pk)
    assert line.phrases_text == "dos, four"


def test_old_clients_see_each_phrase_and_filters_of_the_site_as_well(alice, bob):
    api = Api(alice)
    add_phrase_filter(owner=alice.pk, phrase="dogs", has_warning=True, hours=None)
    created = api.post("filters", phrase="cats", context=["home"], irreversible=True).json()
    assert created["irreversible"] is True
    assert [user_filter["phrase"] for user_filter in api.get("filters").json()] == ["dogs", "cats"]
    path = f"filters/{created['id']}"
    assert api.put(path, phrase="mice", context=["home"]).json()["phrase"] == "mice"
    assert api.get(path).json()["irreversible"] is True
    assert [user_filter["title"] for user_filter in api.get("/api/v2/filters").json()] == [
        "dogs",
        "cats",
    ]
    assert Api(bob).put(path, phrase="x", context=["home"]).status_code == 404
    assert api.delete(path).json() == {}
    assert len(api.get("/api/v2/filters").json()) == 1


def test_the_number_of_phrases_is_limited(alice, monkeypatch):
    monkeypatch.setattr(filters, "MAX_FILTERS", 3)
    api = Api(alice)
    created = create_filter(
        api, keywords_attributes=[{"keyword": "a"}, {"keyword": "b"}, {"keyword": "c"}]
    )
    for response in (
        api.post(f"/api/v2/filters/{created['id']}/keywords", keyword="d"),
        api.post("filters", phrase="d", context=["home"]),
    ):
        assert (response.status_code, "You can have up to" in response.json()["error"]) == (
            422,
            True,
        )
    assert api.get("/api/v2/filters").json() == [created]


@pytest.mark.parametrize(
    "data",
    [
        {"title": ""},
        {"context": []},
        {"context": ["everywhere"]},
        {"filter_action": "burn"},
        {"expires_in": -1},
        {"expires_in": 10**30},
        {"expires_in": "soon"},
        {"keywords_attributes": [{"keyword": ""}]},
        {"keywords_attributes": ["x"]},
        {"keywords_attributes": [{"keyword": "x" * 101}]},
    ],
)
def test_invalid_filters_are_refused(alice, data):
    response = Api(alice).post("/api/v2/filters", **{"title": "x", "context": ["home"], **data})
    assert response.status_code == 422
    assert response.json()["error"]
    assert filters.filters_of(viewer=alice.pk) == []


def add_post(api, user_filter, post):
    return api.post(f"/api/v2/filters/{user_filter['id']}/statuses", status_id=str(post))


def test_a_keyword_may_match_inside_words(alice, bob):
    follow(alice, bob)
    publish(bob, "A Catalogue")
    api = Api(alice)
    part = {"keyword": "cat", "whole_word": False}
    created = create_filter(api, keywords_attributes=[part, {"keyword": "log"}])
    assert [keyword["whole_word"] for keyword in created["keywords"]] == [False, True]
    ((result,),) = (status["filtered"] for status in home(alice))
    assert result["keyword_matches"] == ["cat"]
    path = f"/api/v2/filters/keywords/{created['keywords'][0]['id']}"
    assert api.put(path, keyword="cata").json()["whole_word"] is False
    assert api.put(path, keyword="cata", whole_word=True).json()["whole_word"] is True
    assert home(alice)[0]["filtered"] == []
    old = api.post("/api/v1/filters", phrase="alog", context=["home"], whole_word=False).json()
    assert old["whole_word"] is False
    assert home(alice)[0]["filtered"]
    assert api.put(f"/api/v1/filters/{old['id']}", whole_word=True).json()["whole_word"] is True
    assert home(alice)[0]["filtered"] == []


def test_a_single_post_is_collapsed_then_hidden_then_shown_again(alice, bob):
    follow(alice, bob)
    post, other = publish(bob, "A cat"), publish(bob, "Two cats")
    api = Api(alice)
    created = create_filter(api, keywords_attributes=[{"keyword": "cat"}])
    row = add_post(api, created, post).json()
    assert row["status_id"] == str(post)
    assert add_post(api, created, post).json() == row
    path = f"/api/v2/filters/{created['id']}"
    assert api.get(f"{path}/statuses").json() == api.get(path).json()["statuses"] == [row]
    assert api.get(f"/api/v2/filters/statuses/{row['id']}").json() == row
    untouched, collapsed = home(alice)
    assert (untouched["id"], untouched["filtered"]) == (str(other), [])
    (result,) = collapsed["filtered"]
    assert (result["keyword_matches"], result["status_matches"]) == (["cat"], [str(post)])
    keyword_id = created["keywords"][0]["id"]
    api.delete(f"/api/v2/filters/keywords/{keyword_id}")
    (result,) = home(alice)[1]["filtered"]
    assert (result["keyword_matches"], result["status_matches"]) == (None, [str(post)])
    assert api.put(path, title="Animals", filter_action="hide").json()["statuses"] == [row]
    assert [status["id"] for status in home(alice)] == [str(other)]
    assert api.delete(f"/api/v2/filters/statuses/{row['id']}").json() == {}
    assert len(home(alice)) == 2
    assert api.get(f"/api/v2/filters/statuses/{row['id']}").status_code == 404


def test_only_the_owner_of_a_filter_reads_and_removes_its_posts(alice, bob, carol):
    post, api = publish(carol), Api(alice)
    created = create_filter(api)
    row = add_post(api, created, post).json()
    other = Api(bob)
    assert add_post(other, created, post).status_code == 404
    path = f"/api/v2/filters/statuses/{row['id']}"
    assert other.get(path).status_code == other.delete(path).status_code == 404
    assert other.get(f"/api/v2/filters/{created['id']}/statuses").status_code == 404
    assert api.get(path).json() == row


def test_own_comments_and_unreadable_posts_are_refused(alice, bob):
    api, own, foreign = Api(alice), publish(alice), publish(bob)
    comment = add_comment(post_id=foreign, actor=bob, text="I say")
    secret = publish(bob, "For followers", visibility="followers")
    created = create_filter(api)
    codes = [
        add_post(api, created, post).status_code for post in (own, comment, secret, 1, "x", "")
    ]
    assert codes == [422, 422, 404, 404, 422, 422]
    assert api.get(f"/api/v2/filters/{created['id']}").json() == created


def test_the_number_of_single_posts_is_limited(alice, bob, monkeypatch):
    monkeypatch.setattr(filters, "MAX_FILTERED_POSTS", 2)
    api = Api(alice)
    first_filter, second_filter = create_filter(api), create_filter(api)
    first, second, third = publish_many(bob, 3)
    assert (
        add_post(api, first_filter, first).status_code
        == add_post(api, second_filter, second).status_code
        == 200
    )
    refused = add_post(api, second_filter, third)
    assert (refused.status_code, "up to 2 single posts" in refused.json()["error"]) == (422, True)
    assert add_post(api, first_filter, first).status_code == 200


def test_an_old_client_deletes_the_last_phrase_but_keeps_single_posts(alice, bob):
    post, api = publish(bob), Api(alice)
    old = api.post("filters", phrase="cats", context=["home"]).json()
    (user_filter,) = api.get("/api/v2/filters").json()
    add_post(api, user_filter, post)
    api.delete(f"filters/{old['id']}")
    (left,) = api.get("/api/v2/filters").json()
    assert (left["keywords"], len(left["statuses"])) == ([], 1)
