"""What the composer says about the storage for pictures and clips."""

import pytest

from feed.models import Picture
from feed.selectors.pictures import storage_of
from tests.factories import UserFactory
from tests.feed.picture_uploads import send
from tests.uploads import picture

pytestmark = pytest.mark.usefixtures("no_pictures")


def use(owner, megabytes, **values):
    return Picture.objects.create(
        owner=owner.pk, name="0" * 32, width=1, height=1, stored_bytes=megabytes * 2**20, **values
    )


def composer(client, path="/posts/"):
    return client.get(path).content.decode().replace("\xa0", " ")


def test_the_composer_says_what_is_left(client, alice, bob, settings):
    settings.STORAGE_QUOTA_MB = 10
    client.force_login(alice)
    assert "Storage: 10.0 MB of 10.0 MB left." in composer(client)
    use(alice, 4)
    use(alice, 2, post=7)
    use(alice, 1, post=Picture.DELETED_POST)
    use(bob, 3)
    assert "Storage: 4.0 MB of 10.0 MB left." in composer(client)
    settings.STORAGE_QUOTA_MB = 0
    assert "Storage:" not in composer(client)


def test_home_does_not_count_files(client, alice, record_commands):
    client.force_login(alice)
    client.get("/")
    with record_commands() as commands:
        assert "Storage:" not in composer(client, "/")
    assert not [name for name, command in commands if "feed_picture" in str(command)]


def test_a_new_picture_says_when_little_is_left(client, alice, settings):
    settings.STORAGE_QUOTA_MB = 10
    client.force_login(alice)

    def add():
        response = client.post("/posts/pictures/", {"pictures": upload()})
        assert response.status_code == 200
        return response.content.decode()

    assert "Storage:" not in add()
    use(alice, 9.5)
    assert "Storage:" in add()
    use(alice, 9.5)
    response = client.post("/posts/pictures/", {"pictures": upload()})
    assert (response.status_code, "no storage left" in response.content.decode()) == (422, True)


def upload():
    from django.core.files.uploadedfile import SimpleUploadedFile

    return SimpleUploadedFile("me.png", picture())


def test_the_form_refuses_pictures_without_storage(client, alice, settings):
    settings.STORAGE_QUOTA_MB = 1
    use(alice, 1)
    client.force_login(alice)
    html = send(client, picture()).content.decode()
    assert "no storage left" in html
    assert not Picture.objects.filter(stored_bytes__lt=2**20).exists()


def test_storage_costs_one_command(record_commands):
    owner = UserFactory()
    with record_commands() as commands:
        assert storage_of(owner=owner.pk).used == 0
    assert len(commands) == 1
