"""Publish pictures: with the form, which uploads and then describes them, or with the services."""

import io
import re
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from feed.models import Post
from feed.services.pictures import receive_upload, save_picture
from tests.actions import publish_post

PUBLISH = "/posts/"
FOLDER = Path(settings.DATA_DIR) / "media" / "pictures"


def send(client, *contents, name="me.png", **data):
    files = [SimpleUploadedFile(name, content, content_type="image/png") for content in contents]
    return client.post(PUBLISH, {"text": "Look", "pictures": files, **data})


def media_of(response):
    """Return the ids of the uploaded pictures in the form of the response."""
    return re.findall(r'name="media" value="(\d+)"', response.content.decode())


def uploaded(client, *contents):
    """Upload pictures without publishing them and return their ids."""
    response = send(client, *contents)
    assert response.status_code == 422
    return media_of(response)


def publish(client, *contents, alt="A red square", **data):
    """Upload, describe and publish pictures. Return the post."""
    ids = uploaded(client, *contents)
    described = {f"alt_{picture_id}": f"{alt} {n}" for n, picture_id in enumerate(ids, 1)}
    answer = client.post(PUBLISH, {"text": "Look", "media": ids, **described, **data})
    assert answer.status_code == 302
    return Post.objects.latest("pk")


def publish_pictures(author, *contents, text="Look", alt="A red square", **arguments):
    """Publish a post with pictures. Return the post. Costs no requests, in contrast to ``publish``."""
    picture_ids = []
    for number, content in enumerate(contents, 1):
        decoded = receive_upload(owner=author.pk, upload=io.BytesIO(content))
        saved = save_picture(owner=author.pk, decoded=decoded, alt=f"{alt} {number}")
        picture_ids.append(saved.pk)
    post_id = publish_post(author=author.pk, text=text, picture_ids=picture_ids, **arguments)
    return Post.objects.get(pk=post_id)


def stored():
    return sorted(file.name for file in FOLDER.glob("*"))


def served(client, post, size="large"):
    response = client.get(f"/media/pictures/{post.media[0]['name']}-{size}.webp")
    assert response.status_code == 200
    return response, b"".join(response.streaming_content)
