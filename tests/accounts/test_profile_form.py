"""The settings page of the profile over HTTP: header picture, fields, bot mark, and defaults for posts."""

import io
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from accounts.models import MAX_PROFILE_FIELD_LENGTH, User
from accounts.services.blocks_and_mutes import block_user
from accounts.services.moderation import set_limited
from tests.factories import UserFactory, follow
from tests.uploads import assert_only_the_picture, emptied, photograph, picture

PROFILE = "/settings/profile/"
FOLDER = Path(settings.DATA_DIR) / "media" / "headers"


@pytest.fixture(autouse=True)
def empty_header_folder():
    with emptied(FOLDER):
        yield


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def save(client, **data):
    return client.post(PROFILE, {"display_name": "Alice", "bio": "", **data})


def save_header(client, content, **data):
    file = SimpleUploadedFile("wide.png", content, content_type="image/png")
    return save(client, header=file, **data)


def stored_headers():
    return sorted(file.name for file in FOLDER.glob("*"))


def read_header(client):
    name = User.objects.get(username="alice").header
    response = client.get(f"/media/headers/{name}.webp")
    assert response.status_code == 200
    return response, b"".join(response.streaming_content)


def page_of_alice(client):
    return client.get("/@alice/").content.decode()


def test_a_header_is_cropped_shown_and_cached(as_alice):
    assert "/media/headers/" not in page_of_alice(as_alice)
    assert save_header(as_alice, picture("JPEG", (4000, 3000))).status_code == 302
    (name,) = stored_headers()
    assert f'<img src="/media/headers/{name}"' in page_of_alice(as_alice)
    response, content = read_header(as_alice)
    assert "immutable" in response["Cache-Control"]
    result = Image.open(io.BytesIO(content))
    assert (result.format, result.size) == ("WEBP", (1500, 500))


@pytest.mark.parametrize(
    ("size", "expected"), [((300, 300), (300, 100)), ((1, 900), (1, 1)), ((900, 1), (3, 1))]
)
def test_a_small_header_is_not_scaled_up(as_alice, size, expected):
    assert save_header(as_alice, picture(size=size)).status_code == 302
    assert Image.open(io.BytesIO(read_header(as_alice)[1])).size == expected


def test_a_header_has_no_metadata(as_alice):
    assert save_header(as_alice, photograph()).status_code == 302
    assert_only_the_picture(read_header(as_alice)[1])


def test_a_header_is_replaced_and_removed_with_its_file(as_alice, alice):
    assert "remove_header" not in as_alice.get(PROFILE).content.decode()
    save_header(as_alice, picture(color="red"))
    (old,) = stored_headers()
    save_header(as_alice, picture(color="blue"))
    (new,) = stored_headers()
    assert old != new
    assert as_alice.get(f"/media/headers/{old}").status_code == 404
    save(as_alice)
    assert stored_headers() == [new]
    assert "remove_header" in as_alice.get(PROFILE).content.decode()
    assert save(as_alice, remove_header="on").status_code == 302
    assert stored_headers() == []
    assert "/media/headers/" not in page_of_alice(as_alice)


def test_a_file_that_is_no_picture_is_refused_and_keeps_the_rest_of_the_form(as_alice):
    response = save_header(as_alice, b"hello", field_1_name="Web", field_1_value="x.example")
    html = response.content.decode()
    assert response.status_code == 422
    assert 'id="id_header_error"' in html
    assert 'value="x.example"' in html
    assert stored_headers() == []


def test_header_uploads_are_limited(as_alice, settings):
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"upload": "1/h"}
    assert save_header(as_alice, picture()).status_code == 302
    assert save_header(as_alice, picture(color="blue")).status_code == 429
    assert len(stored_headers()) == 1


def test_fields_are_shown_with_links_for_the_owner_and_nobody_can_inject_html(as_alice):
    data = {
        "field_1_name": "Pronouns",
        "field_1_value": "she/her",
        "field_3_name": "<b>Web",
        "field_3_value": "https://example.org/?a=<script>",
    }
    assert save(as_alice, **data).status_code == 302
    html = page_of_alice(as_alice)
    assert "she/her" in html
    assert "&lt;b&gt;Web" in html
    assert 'href="https://example.org/?a=' in html
    assert 'rel="me nofollow noopener"' in html
    assert "<script>" not in html.partition("profile-fields")[2].partition("</dl>")[0]
    user = User.objects.get(username="alice")
    assert [field["name"] for field in user.profile_fields] == ["Pronouns", "<b>Web"]
    settings_page = as_alice.get(PROFILE).content.decode()
    assert 'name="field_1_value" value="she/her"' in settings_page
    assert 'name="field_4_name"' in settings_page
    assert 'name="field_5_name"' not in settings_page
    save(as_alice)
    assert User.objects.get(username="alice").profile_fields == []


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"field_2_name": "Web"}, "field_2_value"),
        ({"field_2_value": "x.example"}, "field_2_name"),
        ({"field_2_name": "x" * 256, "field_2_value": "y"}, "field_2_name"),
        ({"field_2_name": "x", "field_2_value": "y" * 256}, "field_2_value"),
    ],
)
def test_invalid_fields_get_an_error_beside_the_field(as_alice, data, field):
    response = save(as_alice, **data)
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in response.content.decode()
    assert list(response.context["form"].errors) == [field]


def test_fields_are_cleaned_and_their_length_is_counted_afterwards(as_alice):
    value = " y\u202e\n" + "z" * (MAX_PROFILE_FIELD_LENGTH - 2)
    assert save(as_alice, field_1_name=" a  b\u202e ", field_1_value=value).status_code == 302
    (field,) = User.objects.get(username="alice").profile_fields
    assert field == {"name": "a b", "value": "y " + "z" * (MAX_PROFILE_FIELD_LENGTH - 2)}


@pytest.mark.parametrize("reason", ["blocked", "limited"])
def test_header_and_fields_are_hidden_like_the_bio(client, as_alice, alice, bob, reason):
    save_header(as_alice, picture(), field_1_name="Web", field_1_value="alice.example")
    client.force_login(bob)
    assert "alice.example" in page_of_alice(client)
    if reason == "blocked":
        block_user(owner=alice.pk, other=bob.pk)
    else:
        set_limited(uid=alice.pk, is_limited=True)
    html = page_of_alice(client)
    assert "alice.example" not in html
    assert "/media/headers/" not in html


def test_bots_have_a_label_on_the_profile_and_in_lists(as_alice, alice, bob):
    follow(alice, bob)
    assert "Automated" not in page_of_alice(as_alice)
    save(as_alice, is_bot="on")
    assert '<span class="badge">Automated</span>' in page_of_alice(as_alice)
    assert "Automated" in as_alice.get("/@bob/followers/").content.decode()
    assert "checked" in str(as_alice.get(PROFILE).context["form"]["is_bot"])
    save(as_alice)
    assert "Automated" not in page_of_alice(as_alice)


def test_the_welcome_form_changes_neither_header_nor_fields(as_alice):
    save_header(as_alice, picture(), bio="Me", is_bot="on", field_1_name="a", field_1_value="b")
    as_alice.post("/welcome/", {"display_name": "Al"})
    user = User.objects.get(username="alice")
    assert (user.display_name, user.bio, user.is_bot) == ("Al", "Me", True)
    assert user.header
    assert user.profile_fields == [{"name": "a", "value": "b"}]


def test_new_posts_start_with_the_chosen_visibility(as_alice, alice):
    page = as_alice.get("/settings/privacy/")
    assert page.context["form"]["post_visibility"].value() == "public"
    as_alice.post("/settings/privacy/", {"post_visibility": "followers"})
    for path in ("/", "/posts/"):
        html = as_alice.get(path).content.decode()
        assert '<option value="followers" selected>' in html, path
    response = as_alice.post("/settings/privacy/", {"post_visibility": "direct"})
    assert response.status_code == 422
    as_alice.post("/settings/privacy/", {})
    assert User.objects.get(pk=alice.pk).post_visibility == "followers"
    as_bob = UserFactory(username="bob2")
    as_alice.force_login(as_bob)
    assert '<option value="public" selected>' in as_alice.get("/").content.decode()
