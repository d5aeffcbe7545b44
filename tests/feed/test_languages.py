"""The language of a post: chosen, guessed, kept, shown and filtered."""

import re

import pytest

from accounts.models import User
from accounts.services.blocks_and_mutes import block_user
from feed.models import Post
from feed.text.languages import base_language, guess_language, language_choices, language_name
from tests.api.api_client import Api
from tests.feed.reading_html import words

GERMAN = "Heute Morgen backe ich wieder ein Brot mit Sauerteig"
ENGLISH = "The light over the harbour was beautiful this morning"


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def stored():
    (post,) = Post.objects.all()
    return [attr["value"] for attr in post.attributes if attr["kind"] == "language"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "de"),
        (ENGLISH, "en"),
        ("Bonjour à tous, il fait beau ce matin", "fr"),
        ("おはようございます。今日はいい天気ですね", "ja"),
        ("今天天气很好,我们去公园吧", "zh"),
        ("@alice #Brot https://example.de/brot", ""),
        ("ok!", ""),
        ("12:30", ""),
        ("🎉🎉🎉", ""),
        ("", ""),
    ],
)
def test_the_language_is_guessed_only_if_the_text_shows_it(text, language):
    assert guess_language(text) == language


def test_names_in_a_text_do_not_change_the_guess():
    assert (
        guess_language(f"{GERMAN} @the_weather_channel #GoodMorning https://news.example") == "de"
    )


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("de", "de"),
        ("pt-BR", "pt"),
        ("zh_Hant_TW", "zh"),
        ("EN", "en"),
        ("nb", "no"),
        ("tok", "tok"),
        ("", ""),
        ("x", ""),
        ("german", ""),
        ("de-", ""),
        ("de\n", ""),
    ],
)
def test_only_the_language_of_a_tag_counts(tag, language):
    assert base_language(tag) == language


def test_languages_have_names_in_the_language_itself():
    names = dict(language_choices())
    assert (names["de"], names["zh"], names["fr"]) == ("Deutsch", "中文", "Français")
    assert language_name("tok") == "Tok"


def test_a_post_keeps_the_chosen_language(as_alice):
    as_alice.post("/posts/", {"text": GERMAN, "language": "sv"})
    assert stored() == ["sv"]
    home = as_alice.get("/").content.decode()
    assert '<div class="post-text" lang="sv" dir="auto">' in home


def test_without_a_choice_the_language_is_guessed(as_alice):
    as_alice.post("/posts/", {"text": GERMAN, "language": ""})
    assert stored() == ["de"]


def test_a_language_that_is_not_offered_is_an_error_in_the_form(as_alice):
    response = as_alice.post("/posts/", {"text": GERMAN, "language": "xx"})
    assert response.status_code == 422
    assert "language" in response.context["form"].errors
    assert not Post.objects.exists()


def test_an_edit_keeps_or_changes_the_language(as_alice, alice):
    as_alice.post("/posts/", {"text": GERMAN, "language": "sv"})
    post = Post.objects.get()
    page = as_alice.get(f"/posts/{post.pk}/edit/").content.decode()
    assert '<option value="sv" selected>' in page
    as_alice.post(f"/posts/{post.pk}/edit/", {"text": ENGLISH, "language": "sv"})
    assert stored() == ["sv"]
    as_alice.post(f"/posts/{post.pk}/edit/", {"text": ENGLISH, "language": "da"})
    assert stored() == ["da"]
    assert Post.objects.get().edited_at is not None
    as_alice.post(f"/posts/{post.pk}/edit/", {"text": ENGLISH, "language": ""})
    assert stored() == ["en"]
    assert as_alice.get(f"/@alice/{post.pk}/history/").content.decode().count("post-text") == 2


def test_the_edit_form_keeps_a_language_that_only_apps_offer(as_alice, alice):
    created = Api(alice).post("statuses", status="toki", language="tok").json()
    as_alice.post(f"/posts/{created['id']}/edit/", {"text": "toki a", "language": "tok"})
    assert stored() == ["tok"]


def test_the_home_page_loads_the_languages_when_they_are_needed(as_alice):
    home = as_alice.get("/").content.decode()
    assert "Svenska" not in home
    assert 'hx-get="/posts/languages/"' in home
    select = as_alice.get("/posts/languages/").content.decode()
    assert '<select name="language"' in select
    assert "Svenska" in select
    assert "Svenska" in as_alice.get("/posts/").content.decode()


def test_apps_set_read_and_change_the_language(alice, bob):
    api = Api(alice)
    created = api.post("statuses", status="Hej", language="sv-SE").json()
    assert created["language"] == "sv"
    assert Api(bob).get(f"statuses/{created['id']}").json()["language"] == "sv"
    edited = api.put(f"statuses/{created['id']}", status="Hej hej").json()
    assert edited["language"] == "sv"
    assert api.put(f"statuses/{created['id']}", language="da").json()["language"] == "da"
    assert api.post("statuses", status=GERMAN).json()["language"] == "de"
    assert api.post("statuses", status="ok", language=None).json()["language"] is None


@pytest.mark.parametrize("language", ["german", "1", "x" * 40, "de; drop"])
def test_apps_get_an_error_for_a_malformed_language(alice, language):
    response = Api(alice).post("statuses", status="Hi", language=language)
    assert response.status_code == 422
    assert "error" in response.json()
    assert not Post.objects.exists()


def test_newest_posts_can_be_limited_to_a_language(client, alice, bob):
    Api(alice).post("statuses", status=GERMAN)
    Api(bob).post("statuses", status=ENGLISH)
    Api(bob).post(
        "statuses", status="Nur für Follower, leider nicht für alle", visibility="private"
    )
    response = client.get("/public/?language=de")
    assert [post.text for post in response.context["page"].posts] == [GERMAN]
    assert '<option value="de" selected>' in response.content.decode()
    block_user(owner=bob.pk, other=alice.pk)
    client.force_login(bob)
    page = client.get("/public/?language=de")
    assert not page.context["page"].posts
    assert "Nobody has posted in this language yet: Deutsch." in words(page.content.decode())


def test_pages_of_a_language_link_to_older_posts_in_this_language(client, alice, settings):
    settings.FEED_PAGE_SIZE = 2
    api = Api(alice)
    for n in range(3):
        api.post("statuses", status=f"{n}", language="de")
        api.post("statuses", status=f"{n}", language="en")
    first = client.get("/public/?language=de")
    assert [post.text for post in first.context["page"].posts] == ["2", "1"]
    older = first.context["page"].older_cursor
    assert f"?language=de&amp;max_id={older}" in first.content.decode()
    second = client.get("/public/", {"language": "de", "max_id": older})
    assert [post.text for post in second.context["page"].posts] == ["0"]


@pytest.mark.parametrize("language", ["DE", "german", "$ne", "de\x00", "x" * 5000])
def test_a_malformed_language_is_not_a_page(client, db, language):
    assert client.get("/public/", {"language": language}).status_code == 404


def test_the_search_finds_posts_in_a_language(client, alice):
    api = Api(alice)
    german = api.post("statuses", status="Museum", language="de").json()
    api.post("statuses", status="Museum", language="en")
    statuses = api.get("/api/v2/search", q="museum language:de").json()["statuses"]
    assert [status["id"] for status in statuses] == [german["id"]]
    api.put(f"statuses/{german['id']}", language="fr")
    assert not api.get("/api/v2/search", q="museum language:de").json()["statuses"]
    assert len(api.get("/api/v2/search", q="museum lang:fr").json()["statuses"]) == 1


def test_posts_start_with_the_language_that_an_app_set(as_alice, alice):
    Api(alice).patch("accounts/update_credentials", source={"language": "sv-SE"})
    page = as_alice.get("/posts/").content.decode()
    assert '<option value="sv" selected>' in page
    as_alice.post("/posts/", {"text": GERMAN})
    assert stored() == ["sv"]
    Post.objects.all().delete()
    as_alice.post("/posts/", {"text": GERMAN, "language": ""})
    assert stored() == ["de"]
    Post.objects.all().delete()
    Api(alice).post("statuses", status=GERMAN)
    assert stored() == ["sv"]


def test_the_language_of_a_user_survives_a_refused_short_form(as_alice, alice):
    User.objects.filter(pk=alice.pk).update(post_language="de")
    home = as_alice.get("/").content.decode()
    assert re.search(r"Options.*? · Deutsch", home)
    # The short composer of the home page does not send the language.
    response = as_alice.post("/posts/", {"text": ""})
    assert response.status_code == 422
    assert re.search(r'<option value="de" selected>', response.content.decode())
