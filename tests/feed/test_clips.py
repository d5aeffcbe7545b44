"""Video and audio: upload, conversion by a worker, and publishing."""

import io
from datetime import timedelta

import pytest
from celery import current_app
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from feed import clip_files, clip_formats, ffmpeg, picture_files, tasks
from feed.models import Picture, Post
from feed.services.drafts import publish_draft, save_draft
from feed.services.pictures import CannotAttach
from tests.actions import content_of
from tests.api.api_client import Api
from tests.clips import ID3, audio, published_clip, ready_clip, upload, video
from tests.feed.clip_helpers import PLAYLIST, make_due, streams, waiting_files
from tests.feed.draft_helpers import stored as drafted
from tests.feed.picture_uploads import media_of, send, stored
from tests.socialsite.archive.zips import entry, exported, import_zip, names
from tests.uploads import picture

pytestmark = pytest.mark.usefixtures("no_pictures", "remembers_conversions", "asked")


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def test_a_video_is_uploaded_converted_and_published(alice, client, asked):
    api = Api(alice)
    response = upload(alice, video(), description="A test card")
    assert response.status_code == 202
    media = response.json()
    assert (media["type"], media["url"], media["preview_url"]) == ("video", None, None)
    assert asked == [("process_clip", {"clip_id": int(media["id"])})]
    waiting = api.get(f"media/{media['id']}")
    assert (waiting.status_code, waiting.json()) == (206, media)
    early = api.post("statuses", status="Watch", media_ids=[media["id"]])
    assert early.status_code == 422
    assert "has not finished processing" in early.json()["error"]
    tasks.process_clip(clip_id=int(media["id"]))
    ready = api.get(f"media/{media['id']}")
    assert ready.status_code == 200
    original = ready.json()["meta"]["original"]
    assert (original["width"], original["height"], original["frame_rate"]) == (64, 48, "10/1")
    assert original["duration"] == pytest.approx(0.5, abs=0.1)
    assert original["bitrate"] > 0
    assert ready.json()["description"] == "A test card"
    status = api.post("statuses", status="Watch", media_ids=[media["id"]]).json()
    (attached,) = status["media_attachments"]
    assert attached["type"] == "video"
    assert attached["url"].endswith(".mp4")
    assert attached["preview_url"].endswith("-small.webp")
    for path in ("/@alice/", f"/@alice/{status['id']}/", "/public/"):
        html = client.get(path).content.decode()
        assert f'src="{attached["url"].removeprefix("http://testserver")}"' in html
        assert 'preload="none"' in html
        assert 'width="64" height="48" aria-label="A test card"' in html
        assert "autoplay" not in html
    content = b"".join(client.get(attached["url"]).streaming_content)
    assert [streams(content)[kind]["codec_name"] for kind in ("video", "audio")] == ["h264", "aac"]
    assert b"".join(client.get(attached["preview_url"]).streaming_content)[:4] == b"RIFF"
    assert waiting_files() == []


def test_audio_is_published(alice, client):
    status = published_clip(alice, audio())
    (attached,) = status["media_attachments"]
    assert (attached["type"], attached["preview_url"]) == ("audio", None)
    assert set(attached["meta"]["original"]) == {"duration", "bitrate"}
    response = client.get(attached["url"])
    assert response["Content-Type"] == "audio/mp4"
    assert set(streams(b"".join(response.streaming_content))) == {"audio"}
    html = client.get(f"/@alice/{status['id']}/").content.decode()
    assert '<audio class="clip" controls preload="none"' in html
    assert 'aria-label="A test card"' in html


@pytest.mark.parametrize(
    "content",
    [
        b"<!doctype html><script>alert(1)</script>",
        PLAYLIST,
        b"ffconcat version 1.0\nfile /etc/passwd\n",
        b"",
        b"\0\0\0\x18ftypheic",
    ],
    ids=["HTML", "HLS playlist", "list of files", "empty", "HEIC"],
)
def test_other_files_named_like_a_video_are_refused_at_once(alice, content):
    response = upload(alice, content)
    assert response.status_code == 422
    message = "not a supported video or audio file" if content else "file is empty"
    assert message in response.json()["error"]
    assert not Picture.objects.exists()


UNKNOWN_CLIPS = {
    "AVI": b"RIFF\x10\0\0\0AVI LIST",
    "WMV": b"\x30\x26\xb2\x75\x8e\x66\xcf\x11",
    "FLV": b"FLV\1\5",
    "MPEG": b"\0\0\1\xba\x44",
    "transport stream": (b"G" + bytes(187)) * 2,
    "AIFF": b"FORM\0\0\0\x10AIFC",
    "AMR": b"#!AMR\n",
    "MIDI": b"MThd\0\0\0\6",
}


@pytest.mark.parametrize("content", UNKNOWN_CLIPS.values(), ids=UNKNOWN_CLIPS)
def test_a_message_about_an_unknown_clip_does_not_speak_of_pictures(as_alice, alice, content):
    error = upload(alice, content, name="file").json()["error"]
    html = send(as_alice, content, name="file").content.decode()
    for text in (error, html):
        assert "not a supported video or audio file" in text
        assert "supported picture" not in text


def test_a_type_or_a_name_tells_unknown_clips_from_pictures(as_alice, alice, settings):
    by_name, by_type = (
        SimpleUploadedFile("clip.MP4", b"unknown", "application/octet-stream"),
        SimpleUploadedFile("clip", b"unknown", "audio/x-ms-wma"),
    )
    for file in (by_name, by_type):
        response = as_alice.post("/posts/", {"text": "Look", "pictures": [file]})
        assert "not a supported video or audio file" in response.content.decode()
    assert "supported picture" in upload(alice, b"unknown", name="me.png").json()["error"]
    assert "picture is damaged" in upload(alice, picture()[:60]).json()["error"]
    assert upload(alice, picture()).status_code == 200
    settings.CLIPS_ENABLED = False
    assert "supported picture" in upload(alice, b"unknown").json()["error"]


@pytest.mark.parametrize(
    ("kind", "start"),
    [
        *(("mp3", bytes(300) + ID3), ("mp3", bytes(5000)), ("mp3", ID3 * 2)),
        *(("aac", bytes(300)), ("aac", ID3), ("flac", ID3)),
    ],
)
def test_audio_may_begin_with_padding_or_tags(kind, start):
    content = start + audio(kind)
    assert clip_formats.detect_format(file=io.BytesIO(content)) == kind


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "start"), [("mp3", bytes(300) + ID3), ("aac", bytes(300))])
def test_padding_in_front_of_audio_is_not_converted(alice, kind, start):
    clip = Picture.objects.get(pk=ready_clip(alice, start + audio(kind)))
    assert clip.playback["duration"] == pytest.approx(0.5, abs=0.1)


def test_padding_in_front_of_other_files_changes_nothing():
    for content in (video(), audio("wav"), picture(), b"", b"text"):
        assert clip_formats.detect_format(file=io.BytesIO(bytes(300) + content)) == ""


def test_a_task_that_runs_twice_converts_once(alice, monkeypatch, settings):
    clip_id, calls, convert = int(upload(alice, video()).json()["id"]), [], ffmpeg.convert

    def convert_and_run_again(**arguments):
        calls.append(arguments)
        tasks.process_clip(clip_id=clip_id)
        return convert(**arguments)

    with monkeypatch.context() as patch:
        patch.setattr(ffmpeg, "convert", convert_and_run_again)
        tasks.process_clip(clip_id=clip_id)
        tasks.process_clip(clip_id=clip_id)
    assert len(calls) == 1
    assert Picture.objects.get().attempts == 1
    assert len(stored()) == 3


class Killed(BaseException):
    """Ends a task as abruptly as possible, without its handling of errors."""


def test_a_killed_worker_is_replaced_and_the_result_is_the_same(alice, monkeypatch, asked):
    clip_id = int(upload(alice, video()).json()["id"])

    def kill_after_the_files_are_stored(clip):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(clip_files, "_facts", kill_after_the_files_are_stored)
        with pytest.raises(Killed):
            tasks.process_clip(clip_id=clip_id)
    asked.clear()
    tasks.sweep()
    assert asked == []  # the claim of the worker has not ended
    make_due()
    tasks.sweep()
    assert asked == [("process_clip", {"clip_id": clip_id})]
    tasks.process_clip(clip_id=clip_id)
    clip = Picture.objects.get()
    assert (clip.state, clip.attempts, clip.kind) == ("ready", 2, "video")
    assert len(stored()) == 3
    assert waiting_files() == []


def test_a_clip_fails_for_good_after_three_attempts(alice, monkeypatch):
    clip_id = int(upload(alice, video()).json()["id"])

    def break_down(**arguments):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(ffmpeg, "convert", break_down)
        for attempt in range(1, 4):
            assert Picture.objects.get().state == "processing"
            make_due()
            tasks.process_clip(clip_id=clip_id)
            assert Picture.objects.get().attempts == attempt
    response = Api(alice).get(f"media/{clip_id}")
    assert response.status_code == 422
    assert "could not be processed" in response.json()["error"]
    assert waiting_files() == []


def test_workers_that_die_each_time_end_the_attempts(alice):
    clip_id = int(upload(alice, video()).json()["id"])
    make_due(attempts=3)
    tasks.process_clip(clip_id=clip_id)
    assert Api(alice).get(f"media/{clip_id}").status_code == 422
    assert waiting_files() == []


@pytest.mark.parametrize("is_cleaned_up", [True, False])
def test_a_clip_that_is_removed_during_the_conversion_leaves_no_files(
    alice, monkeypatch, is_cleaned_up
):
    clip_id, store = int(upload(alice, video()).json()["id"]), clip_files._store_files

    def store_and_remove(name, result):
        store(name, result)
        assert Api(alice).delete(f"media/{clip_id}").status_code == 200
        if is_cleaned_up:
            tasks.clean_up_pictures()

    monkeypatch.setattr(clip_files, "_store_files", store_and_remove)
    tasks.process_clip(clip_id=clip_id)
    tasks.clean_up_pictures()
    assert (stored(), waiting_files(), Picture.objects.count()) == ([], [], 0)


def test_files_that_are_stored_during_the_cleanup_are_deleted(alice, monkeypatch):
    clip_id, store = int(upload(alice, video()).json()["id"]), clip_files._store_files
    delete_record, records = Picture.delete, []
    monkeypatch.setattr(Picture, "delete", lambda picture: records.append(picture))

    def store_during_the_cleanup(name, result):
        assert Api(alice).delete(f"media/{clip_id}").status_code == 200
        picture_files.delete_discarded()  # stops before it deletes the record
        store(name, result)

    monkeypatch.setattr(clip_files, "_store_files", store_during_the_cleanup)
    tasks.process_clip(clip_id=clip_id)
    (record,) = records
    delete_record(record)
    tasks.clean_up_pictures()
    assert (stored(), waiting_files(), Picture.objects.count()) == ([], [], 0)


def test_an_unpublished_clip_is_deleted_after_a_day(alice):
    ready_clip(alice, video())
    upload(alice, audio())
    Picture.objects.update(created_at=timezone.now() - timedelta(days=2))
    tasks.clean_up_pictures()
    assert (stored(), waiting_files(), Picture.objects.count()) == ([], [], 0)


def test_only_some_clips_are_converted_at_a_time(alice, settings, asked):
    settings.CLIP_JOBS = 1
    first, second = (int(upload(alice, audio()).json()["id"]) for _ in range(2))
    busy_until = timezone.now() + timedelta(seconds=60)
    Picture.objects.filter(pk=first).update(attempts=1, due_at=busy_until)
    tasks.process_clip(clip_id=second)
    assert Picture.objects.get(pk=second).state == "processing"
    make_due()
    asked.clear()
    tasks.process_clip(clip_id=first)
    assert asked == [("process_clip", {"clip_id": second})]
    tasks.process_clip(clip_id=second)
    assert set(Picture.objects.values_list("state", flat=True)) == {"ready"}


def test_one_clip_of_each_user_is_converted_at_a_time(alice, bob, settings):
    settings.CLIP_JOBS = 9
    first, second = (int(upload(alice, audio()).json()["id"]) for _ in range(2))
    other = int(upload(bob, audio()).json()["id"])
    busy_until = timezone.now() + timedelta(seconds=60)
    Picture.objects.filter(pk=first).update(attempts=1, due_at=busy_until)
    assert clip_files.is_converting()
    assert clip_files.waiting_ids(limit=9) == [other]
    for clip_id in (second, other):
        tasks.process_clip(clip_id=clip_id)
    states = dict(Picture.objects.values_list("pk", "state"))
    assert states == {first: "processing", second: "processing", other: "ready"}
    assert Picture.objects.get(pk=second).attempts == 0


def test_two_workers_that_claim_clips_at_once_do_not_exceed_the_limit(alice, monkeypatch):
    clip_id, answers = int(upload(alice, audio()).json()["id"]), [True, False]
    monkeypatch.setattr(clip_files, "_has_room", lambda clip: answers.pop(0))
    tasks.process_clip(clip_id=clip_id)
    clip = Picture.objects.get()
    assert (clip.state, clip.attempts, answers) == ("processing", 0, [])
    assert clip_files.waiting_ids(limit=9) == [clip_id]


def test_slow_jobs_have_a_queue_of_their_own():
    route = current_app.amqp.router.route
    names = {
        name
        for name in current_app.tasks
        if route({}, name, args=(), kwargs={})["queue"].name == "slow"
    }
    assert names == {
        "feed.tasks.correct_numbers",
        "feed.tasks.process_clip",
        "socialsite.archive.tasks.export_archive",
        "socialsite.archive.tasks.import_archive",
    }


def test_the_files_of_a_clip_count_against_the_storage(alice, client, settings):
    ready_clip(alice, video())
    clip = Picture.objects.get()
    files = [picture_files.clip_path(name=clip.name)]
    files += (picture_files.storage_path(name=clip.name, size=size) for size in ("small", "large"))
    assert clip.stored_bytes == sum(map(default_storage.size, files))
    settings.STORAGE_QUOTA_MB = clip.stored_bytes / 2**20
    for content in (audio(), picture()):
        response = upload(alice, content)
        assert response.status_code == 422
        assert "no storage left" in response.json()["error"]
    client.force_login(alice)
    assert "no storage left" in send(client, picture(), name="me.png").content.decode()
    Picture.objects.update(post=Picture.DELETED_POST)
    assert upload(alice, picture(), name="me.png").status_code == 200


def test_uploads_of_clips_are_limited(alice, settings):
    settings.CLIP_MAX_MB = 1
    response = upload(alice, video() + b"\0" * 2**20)
    assert response.status_code == 422
    assert "The limit is 1 MB." in response.json()["error"]
    assert (waiting_files(), stored()) == ([], [])
    for _ in range(clip_files.MAX_WAITING):
        assert upload(alice, audio()).status_code == 202
    response = upload(alice, audio())
    assert response.status_code == 422
    assert "5 files in progress" in response.json()["error"]
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"clip": "1/h"}
    response = upload(alice, audio())
    assert response.status_code == 429
    assert "one video or audio file in 1 hour" in response.json()["error"]


def test_a_clip_has_its_post_for_itself(alice, as_alice):
    clip_id = str(ready_clip(alice, video()))
    other_id = upload(alice, picture(), name="me.png").json()["id"]
    second_id = str(ready_clip(alice, audio()))
    for ids in ([clip_id, other_id], [other_id, clip_id], [clip_id, second_id]):
        response = Api(alice).post("statuses", status="Watch", media_ids=ids)
        assert response.status_code == 422
        assert "one video or audio file, or pictures" in response.json()["error"]
    data = {"media": [clip_id, other_id], "confirm_undescribed": "on"}
    response = as_alice.post("/posts/", {"text": "Look", **data})
    assert response.status_code == 422
    assert "one video or audio file, or pictures" in response.content.decode()
    assert media_of(response) == [clip_id, other_id]
    assert not Post.objects.exists()


def test_the_form_keeps_everything_until_the_clip_is_ready(as_alice):
    response = send(as_alice, video(), name="me.mp4")
    (clip_id,) = media_of(response)
    html = response.content.decode()
    assert "Processing the file." in html
    assert "see or hear the video" in html
    data = {"text": "Look", "media": clip_id, f"alt_{clip_id}": "A test card"}
    early = as_alice.post("/posts/", data)
    assert early.status_code == 422
    html = early.content.decode()
    assert "has not finished processing" in html
    assert "Look</textarea>" in html
    assert "A test card</textarea>" in html
    tasks.process_clip(clip_id=int(clip_id))
    assert as_alice.post("/posts/", data).status_code == 302
    (entry,) = Post.objects.get().media
    assert (entry["kind"], entry["alt"]) == ("video", "A test card")


def test_the_row_of_a_clip_tells_its_state(as_alice, alice, bob, client):
    clip_id = upload(alice, video()[:600]).json()["id"]
    path = f"/posts/pictures/{clip_id}/"
    assert f'data-processing="{path}"' in as_alice.get(path).content.decode()
    tasks.process_clip(clip_id=int(clip_id))
    html = as_alice.get(path).content.decode()
    assert "data-processing" not in html
    assert "data-failed-upload" in html
    assert "not a supported video" in html
    refused = as_alice.post(
        "/posts/", {"text": "Look", "media": clip_id, "confirm_undescribed": "on"}
    )
    assert "could not be processed" in refused.content.decode()
    client.force_login(bob)
    assert client.get(path).status_code == 404


def test_without_ffmpeg_the_site_offers_and_accepts_no_clips(as_alice, alice, settings):
    def media_configuration():
        return Api().get("/api/v2/instance").json()["configuration"]["media_attachments"]

    assert "video/mp4" in media_configuration()["supported_mime_types"]
    assert media_configuration()["video_size_limit"] == 60 * 2**20
    assert "video/mp4" in as_alice.get("/posts/").content.decode()
    settings.CLIPS_ENABLED = False
    assert media_configuration()["supported_mime_types"] == [
        "image/jpeg",
        "image/png",
        "image/webp",
        "image/gif",
    ]
    assert media_configuration()["video_size_limit"] == 0
    html = as_alice.get("/posts/").content.decode()
    assert "video/mp4" not in html
    assert "video" not in html.partition("<main")[2]
    response = upload(alice, video())
    assert response.status_code == 422
    assert not Picture.objects.exists()


def test_a_request_for_its_own_thumbnail_is_refused(alice):
    thumbnail = SimpleUploadedFile("me.png", picture())
    assert upload(alice, audio(), thumbnail=thumbnail).status_code == 422


def test_descriptions_of_published_clips_are_edited(alice):
    status = published_clip(alice, video())
    media = status["media_attachments"][0]["id"]
    attributes = [{"id": media, "description": "Colored bars"}]
    edited = Api(alice).put(f"statuses/{status['id']}", media_attributes=attributes).json()
    assert edited["media_attachments"][0]["description"] == "Colored bars"
    assert edited["media_attachments"][0]["type"] == "video"
    removed = Api(alice).put(f"statuses/{status['id']}", media_ids=[]).json()
    assert removed["media_attachments"] == []
    tasks.clean_up_pictures()
    assert stored() == []
    versions = Api(alice).get(f"statuses/{status['id']}/history").json()
    assert [len(version["media_attachments"]) for version in versions] == [1, 1, 0]
    assert versions[0]["media_attachments"][0]["type"] == "unknown"


def test_a_draft_keeps_its_clip_and_is_published_when_the_clip_is_ready(alice, bob):
    clip_id = int(upload(alice, video()).json()["id"])
    draft = save_draft(author=alice.pk, content=content_of("Look", picture_ids=[clip_id]))
    with pytest.raises(CannotAttach, match="has not finished processing"):
        publish_draft(draft=drafted(draft, alice))
    tasks.process_clip(clip_id=clip_id)
    content = exported(alice)
    ((attachment,),) = [row["attachment"] for row in entry(content, "drafts.json")["orderedItems"]]
    assert attachment["url"].endswith(".mp4")
    assert attachment["url"] in names(content)
    assert import_zip(content, bob)["drafts"] == 1
    copy = Picture.objects.get(owner=bob.pk)
    assert (copy.kind, copy.state) == ("video", "ready")
    publish_draft(draft=drafted(draft, alice))
    assert [shown["kind"] for shown in Post.objects.get(author=alice).media] == ["video"]


def test_a_draft_has_one_clip_or_pictures(alice):
    clips = [int(upload(alice, video()).json()["id"]) for _ in range(2)]
    with pytest.raises(CannotAttach, match="one video or audio file"):
        save_draft(author=alice.pk, content=content_of("Look", picture_ids=clips))
