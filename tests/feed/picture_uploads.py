"""Publishes pictures as the form does: upload, be asked for descriptions, describe."""

import re
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from feed.models import Post

PUBLISH = "/posts/"
FOLDER = Path(settings.DATA_DIR) / "media" / "pictures"


def send(client, *contents, name="me.png", **data):
    files = [SimpleUploadedFile(name, content, content_type="image/png") for content in contents]
    return client.post(PUBLISH, {"text": "Look", "pictures": files, **data})


def media_of(response):
    """The pictures that come back with the form."""
    return re.findall(r'name="media" value="(\d+)"', response.content.decode())


def uploaded(client, *contents):
    """The ids of pictures that are uploaded and not published."""
    asked = send(client, *contents)
    assert asked.status_code == 422
    return media_of(asked)


def publish(client, *contents, alt="A red square", **data):
    """Upload, describe and publish pictures; the post."""
    ids = uploaded(client, *contents)
    described = {f"alt_{post}": f"{alt} {n}" for n, post in enumerate(ids, 1)}
    answer = client.post(PUBLISH, {"text": "Look", "media": ids, **described, **data})
    assert answer.status_code == 302
    return Post.objects.latest("pk")


def stored():
    return sorted(file.name for file in FOLDER.glob("*"))


def served(client, post, size="large"):
    response = client.get(f"/media/pictures/{post.media[0]['name']}-{size}.webp")
    assert response.status_code == 200
    return response, b"".join(response.streaming_content)
