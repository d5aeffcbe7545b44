"""``seed_demo`` creates the same site for the same seed, even after interruptions."""

import os
import re
import shutil
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from io import StringIO
from itertools import count
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as django_settings
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from PIL import Image

from accounts import usernames
from accounts.infra.cursors import PageBounds
from accounts.infra.ids import time_of
from accounts.models import User
from accounts.profile_pictures import AVATAR, HEADER, picture_path
from accounts.selectors.follow_graph import audience_size
from accounts.selectors.suggestions import Reason
from feed import picture_files
from feed.models import MAX_TEXT_LENGTH, Picture, Post
from feed.selectors.people import MAX_SUGGESTIONS, suggested_people
from feed.services.posts import delete_post
from feed.store import recount
from feed.store.home_states import followed_tags
from feed.text.spans import spans_in
from feed.timeline import strategies
from feed.timeline.home import home_page
from feed.timeline.store import seal
from socialsite.demo import builder
from socialsite.demo.clips import can_make_clips, store_clip
from socialsite.demo.handwritten import CONVERSATIONS, RULES, save_drafts
from socialsite.demo.languages import load_front_page
from socialsite.demo.picture_pool import PicturePool
from socialsite.demo.plan import Plan, make_plan
from socialsite.demo.planned_posts import DemoSpec
from socialsite.demo.post_texts import CLIP_FORMS
from socialsite.management.commands.seed_demo import DEMO_USERNAMES, PASSWORD, Command
from socialsite.moderation import decisions
from tests.accounts.graph_promises import check_graph, pending_backfills
from tests.clips import convert_at_once, probe, remember_conversions, require_ffmpeg
from tests.factories import UserFactory
from tests.worlds import World

SMALL = ("--people=40", "--follows=500", "--posts=200")
"""The smallest demo with a front page."""

TINY = ("--people=12", "--follows=60", "--posts=60")
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
MEDIA = Path(django_settings.DATA_DIR) / "media"
SAVED_MEDIA = MEDIA.with_name("media-of-the-demo")


def seed(*options: str, size: tuple[str, ...] = SMALL) -> str:
    out = StringIO()
    call_command("seed_demo", *size, *options, stdout=out, stderr=out)
    return out.getvalue()


def seed_and_save_files() -> str:
    with remember_conversions():
        output = seed()
    copy_links(MEDIA, SAVED_MEDIA)
    return output


def copy_links(source: Path, target: Path) -> None:
    """Create hard links to all files of a folder, except to those that the target folder has already."""

    def link(file: str, copy: str) -> None:
        if not Path(copy).exists():
            os.link(file, copy)

    shutil.copytree(source, target, copy_function=link, dirs_exist_ok=True)


demo = World(seed_and_save_files, name="demo")


def restore_demo() -> str:
    """Restore the documents and files of the demo. Return what the command printed."""
    output = demo.restore()
    copy_links(SAVED_MEDIA, MEDIA)
    return output


@cache
def plan_for(seed: int = 1, now: datetime = NOON) -> Plan:
    return make_plan(spec=DemoSpec(300, 3000, 2000, seed, now, 7))


def check_site(*, size: tuple[str, ...] = SMALL, seed: int = 1) -> None:
    """Check that the demo equals its plan and that all counters are correct."""
    numbers = [int(option.partition("=")[2]) for option in size]
    plan = make_plan(spec=DemoSpec(*numbers, seed, timezone.now(), 0, can_make_clips()))
    names = dict(User.objects.values_list("pk", "username"))
    assert set(names.values()) == {persona.username for persona in plan.personas}
    assert {(names[a], names[b]) for a, b in check_graph()} == {
        (plan.personas[follower].username, plan.personas[followee].username)
        for followee, followers in plan.followers.items()
        for follower in followers
    }
    assert pending_backfills() == 0
    assert [rule.text for rule in decisions.rules()] == [rule["text"] for rule in RULES]
    messages = Post.objects.filter(visibility="direct")
    assert len(messages) == len(CONVERSATIONS)
    posts_in_order = list(Post.objects.exclude(visibility="direct").order_by("pk"))
    assert [(names[post.author_id], post.kind, post.text) for post in posts_in_order] == [
        (plan.personas[post.author].username, post.kind, post.text) for post in plan.posts
    ]
    assert [media_kinds(post) for post in posts_in_order] == [
        ["image"] * len(post.motifs) or [post.clip] * bool(post.clip) for post in plan.posts
    ]
    check_shares_and_files(posts_in_order)
    assert {post.delivery_state for post in posts_in_order} == {"done"}
    follower_counts = {
        author: audience_size(author=author).follower_count
        for author in {post.author_id for post in posts_in_order}
    }
    for post in posts_in_order:
        assert post.delivery_audience_size == follower_counts[post.author_id]


def check_shares_and_files(posts: list[Post]) -> None:
    """Check that shares are counted and that every file of a picture exists."""
    shares = Counter(post.share_of for post in posts if post.share_of is not None)
    assert {post.pk: post.shares for post in posts if post.shares} == dict(shares)
    assert connection.database["shares"].count_documents({}) == shares.total()
    edited = [post.pk for post in posts if post.edited_at]
    assert {document["post"] for document in connection.database["revisions"].find()} == set(edited)
    entries = [entry for post in posts for entry in post.media]
    assert Picture.objects.exclude(owner=Picture.SITE).count() == len(entries)
    assert len({entry["name"] for entry in entries}) == len(entries)
    for entry in entries:
        kind = entry.get("kind", "image")
        paths = [
            picture_files.storage_path(name=entry["name"], size=size)
            for size in (() if kind == "audio" else picture_files.SIZES)
        ]
        if kind != "image":
            paths.append(picture_files.clip_path(name=entry["name"]))
        assert all(default_storage.size(path) > 500 for path in paths)


def media_kinds(post: Post) -> list[str]:
    return [entry.get("kind", "image") for entry in post.media]


def timelines(uids: list[int]) -> dict[int, list[int]]:
    ids_by_viewer: dict[int, list[int]] = {}
    for uid in uids:
        page = home_page(viewer=uid, bounds=PageBounds(limit=40))
        ids_by_viewer[uid] = [post.id for post in page.posts]
        while page.older_cursor:
            page = home_page(viewer=uid, bounds=PageBounds(limit=40, max_id=int(page.older_cursor)))
            ids_by_viewer[uid] += [post.id for post in page.posts]
    return ids_by_viewer


def test_alice_has_drafts_a_scheduled_post_and_an_unread_conversation(client):
    restore_demo()
    alice = User.objects.get(username="alice")
    list(save_drafts([alice.pk]))  # safe to repeat
    client.force_login(alice)
    assert len(client.get("/drafts/").context["page"].drafts) == 2
    (scheduled,) = client.get("/drafts/scheduled/").context["page"].drafts
    assert scheduled.due_at > timezone.now() + timedelta(days=1)
    page = client.get("/messages/").context["page"]
    assert [view.is_unread for view in page.conversations] == [True, False, False]
    assert [view.last_text for view in page.conversations] == [
        CONVERSATIONS[2]["text"],
        CONVERSATIONS[1]["answers"][-1],
        CONVERSATIONS[0]["answers"][-1],
    ]
    assert "1 unread conversation" in client.get("/").content.decode()


def test_two_posts_have_a_video_and_an_audio_file(client):
    require_ffmpeg()
    restore_demo()
    client.login(username="alice", password=PASSWORD)
    html = client.get("/").content.decode()
    (video,) = re.findall(r'<video [^>]*src="([^"]+)" poster="([^"]+)"', html)
    (audio,) = re.findall(r'<audio [^>]*src="([^"]+)"', html)
    contents = {}
    for url in (*video, audio):
        response = client.get(url)
        assert response.status_code == 200
        contents[url] = b"".join(response)
    assert all(len(content) < 150_000 for content in contents.values())
    streams = {
        stream["codec_type"]: stream
        for url in (video[0], audio)
        for stream in probe(contents[url])["streams"]
    }
    assert (streams["video"]["width"], streams["video"]["height"]) == (480, 270)
    assert 3 < float(streams["video"]["duration"]) < 5
    assert 3 < float(streams["audio"]["duration"]) < 5
    clips = Picture.objects.exclude(kind="image")
    assert all(len(clip.alt) > 20 for clip in clips)
    assert len(set(clips.values_list("post", flat=True))) == 2


def test_a_seed_gives_the_same_clips():
    require_ffmpeg()
    restore_demo()
    plan = make_plan(spec=DemoSpec(40, 500, 200, 1, NOON, 7, has_clips=True))
    for kind in ("video", "audio"):
        old_clip = Picture.objects.get(kind=kind)
        path = MEDIA / picture_files.clip_path(name=old_clip.name)
        content = path.read_bytes()
        path.unlink()
        planned = next(post for post in plan.posts if post.clip == kind)
        with convert_at_once():
            (clip,) = store_clip(
                post=replace(planned, id=old_clip.post), owner=old_clip.owner, seed=1
            )
        assert clip.name == old_clip.name
        assert path.read_bytes() == content
    assert (
        Picture.objects.exclude(kind="image").count() == 2
    )  # a repeated attempt replaces the first


def test_without_ffmpeg_the_demo_has_no_posts_with_clips(monkeypatch, tmp_path):
    plans = []
    monkeypatch.setattr(Command, "_build_site", lambda self, plan, spec: plans.append(plan))
    monkeypatch.setenv("PATH", str(tmp_path))
    seed()
    posts = plans[0].posts
    assert len(posts) == 200
    assert not any(post.clip for post in posts)
    clip_texts = {entry.text for _, _, entry in load_front_page() if entry.form in CLIP_FORMS}
    assert len(clip_texts) == 2
    assert not clip_texts & {post.text for post in posts}


def test_if_ffmpeg_fails_a_post_has_no_clip(alice, monkeypatch, tmp_path):
    for name in ("ffmpeg", "ffprobe"):
        program = tmp_path / name
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    plan = make_plan(spec=DemoSpec(40, 500, 200, 1, NOON, 7, has_clips=True))
    planned = [post for post in plan.posts if post.clip]
    assert len(planned) == 2
    list(builder.publish_posts(planned, [alice.pk] * 40, PicturePool(seed=1)))
    assert not Picture.objects.exists()
    assert [post.media for post in Post.objects.all()] == [[], []]


def test_one_comment_is_only_for_alice(client):
    restore_demo()
    text = "the mill has the big table"
    post = Post.objects.get(text__startswith="Looking for a quiet route to the coast")
    readers = {}
    for username in DEMO_USERNAMES:
        client.login(username=username, password=PASSWORD)
        html = client.get(f"/@alice/{post.pk}/").content.decode()
        readers[username] = text in html
        assert "There are kingfishers" in html
    assert readers == {"alice": True, "bob": False, "carol": True, "admin": False}
    assert post.comments == 4  # without this one
    ids = list(Post.objects.values_list("pk", flat=True))
    assert recount.miscounted_posts(ids=ids) == recount.miscounted_comments(ids=ids) == []


def test_a_seed_gives_the_same_plan_at_any_time():
    spec = DemoSpec(40, 500, 200, 1, NOON, 7)
    plan = make_plan(spec=spec)
    later_plan = make_plan(spec=replace(spec, now=NOON + timedelta(days=99, hours=5)))
    assert plan.personas == later_plan.personas
    assert plan.followers == later_plan.followers
    assert [(p.author, p.text) for p in plan.posts] == [
        (p.author, p.text) for p in later_plan.posts
    ]
    assert make_plan(spec=replace(spec, seed=2)).personas != plan.personas


def test_the_plan_has_the_requested_size_and_a_few_famous_users():
    plan = plan_for()
    assert (len(plan.personas), plan.follow_count, len(plan.posts)) == (300, 3000, 2000)
    audiences = sorted((len(set(followers)) for followers in plan.followers.values()), reverse=True)
    assert sum(audiences) == 3000
    assert audiences[0] > 8 * audiences[150]
    busiest = Counter(post.author for post in plan.posts).most_common()
    assert busiest[0][1] > 5 * busiest[len(busiest) // 2][1]
    follows = {(a, b) for b, followers in plan.followers.items() for a in followers}
    assert {(a, b) for a in range(3) for b in range(3) if a != b} <= follows


def test_all_planned_users_and_texts_are_valid():
    plan = plan_for()
    for person in plan.personas:
        if person.username != "admin":
            for validate in usernames.validators:
                validate(person.username)
        assert len(person.display_name) <= 30
        assert len(person.bio) <= 500
    names = {person.username for person in plan.personas}
    assert len(names) == 300
    texts = [post.text for post in plan.posts if post.share_of is None]
    assert all(0 < len(text) <= MAX_TEXT_LENGTH and text == text.strip() for text in texts)
    assert not [text for text in texts if "{" in text or "}" in text or "|" in text]
    assert len(set(texts)) > 0.99 * len(texts)
    mentioned = {
        span.value.lower() for text in texts for span in spans_in(text) if span.kind == "mention"
    }
    assert mentioned
    assert mentioned <= names


def test_posts_cover_thirty_days_with_more_recent_ones():
    plan = plan_for()
    ids = [post.id for post in plan.posts]
    assert ids == sorted(set(ids))
    assert all(time_of(id=post.id) <= post.published_at for post in plan.posts)
    assert all(
        post.published_at - time_of(id=post.id) < timedelta(milliseconds=1) for post in plan.posts
    )
    ages = [NOON - post.published_at for post in plan.posts]
    assert timedelta(0) < min(ages) < timedelta(hours=1)
    assert timedelta(days=25) < max(ages) < timedelta(days=30, minutes=2)
    assert sum(age < timedelta(days=7) for age in ages) > len(ages) / 3


def test_an_empty_site_is_filled_and_every_timeline_is_correct(settings):
    assert "40 people, 500 follows and 200 posts" in restore_demo()
    check_site()
    assert connection.database["inbox_heads"].count_documents({"built_at": {"$ne": None}}) == 40
    check_timelines(settings)


def test_timelines_that_are_longer_than_an_inbox_are_correct(settings, monkeypatch):
    monkeypatch.setattr(seal, "BUCKET_SIZE", 5)
    monkeypatch.setattr(seal, "SEAL_AT", 10)
    settings.FEED_INBOX_MAX = 20
    seed(size=TINY)
    lengths = [len(ids) for ids in check_timelines(settings).values()]
    assert min(lengths) < 20 < max(lengths)
    assert connection.database["inbox_buckets"].count_documents({}) > 10


def check_timelines(settings) -> dict[int, list[int]]:
    """Check that all inboxes have the posts that the strategy without inboxes finds. Return these."""
    readers = list(User.objects.values_list("pk", flat=True))
    stored = timelines(readers)
    settings.FEED_STRATEGY = "fan_out_on_read"
    assert stored == timelines(readers)
    return stored


def test_the_home_of_alice_shows_every_kind_of_post(client):
    restore_demo()
    client.login(username="alice", password=PASSWORD)
    html = client.get("/").content.decode()
    assert html.count("data-post>") >= 17
    for part in (
        'class="stars"',
        'class="link-card whole"',
        'class="content-warning"',
        "Carol Clark</bdi> shared",
        'class="edited"',
        'class="quote quoted"',
        'href="/tags/gardening/"',
        'href="/@bob/"',
        'class="excerpt"',
        "more from <bdi>Bob Brown",
    ):
        assert part in html, part
    assert {len(media) for media in pictures_by_post(html)} == {1, 2, 3, 4}
    alts = [alt for media in pictures_by_post(html) for alt in media]
    assert all(len(alt) > 20 for alt in alts)
    assert 'alt="Picture without a description"' not in html
    pictures = set(re.findall(r' src="(/media/(?:avatars|pictures)/[^"]+)"', html))
    assert len(pictures) > 15
    for url in pictures:
        response = client.get(url)
        assert (response.status_code, response["Content-Type"]) == (200, "image/webp"), url
        response.close()


def test_demo_users_can_log_in_and_everybody_joined_before_their_first_post(client):
    restore_demo()
    for username in DEMO_USERNAMES:
        assert client.login(username=username, password=PASSWORD)
        user = User.objects.get(username=username)
        assert EmailAddress.objects.get(user=user).verified
        assert user.is_superuser == (username == "admin")
    hashes = set(User.objects.values_list("password", flat=True))
    assert len(hashes) == 1
    now = timezone.now()
    joined = dict(User.objects.values_list("pk", "date_joined"))
    for uid, date_joined in joined.items():
        assert time_of(id=uid) == date_joined
        assert timedelta(days=30) < now - date_joined < timedelta(days=500)
    assert max(joined.values()) - min(joined.values()) > timedelta(days=100)
    for author, published_at in Post.objects.values_list("author_id", "created_at"):
        assert joined[author] < published_at


def test_alice_gets_suggestions_for_several_reasons():
    seed("--people=100", "--posts=60")
    alice = User.objects.get(username="alice")
    assert followed_tags(viewer=alice.pk) == ["baking", "cycling"]
    suggestions = suggested_people(viewer=alice.pk, limit=MAX_SUGGESTIONS)
    assert {Reason.TOPIC, Reason.FOLLOWED, Reason.RECOMMENDED} <= {
        suggestion.reason for suggestion in suggestions
    }
    assert User.objects.filter(is_recommended=True).count() == builder.RECOMMENDED_USERS


def pictures_by_post(html: str) -> list[list[str]]:
    """Return the descriptions of the pictures of each post with pictures."""
    media = re.findall(r'<div class="media">(.*?)</div>', html, re.DOTALL)
    return [re.findall(r' alt="([^"]*)"', pictures) for pictures in media]


def test_demo_users_with_log_ins_have_portraits_headers_and_fields():
    restore_demo()
    avatars = dict(User.objects.exclude(avatar="").values_list("username", "avatar"))
    assert set(avatars) == set(DEMO_USERNAMES)
    for avatar in avatars.values():
        with default_storage.open(picture_path(kind=AVATAR, name=avatar)) as file:
            assert Image.open(file).size == (192, 192)
    users = {user.username: user for user in User.objects.all()}
    for name in DEMO_USERNAMES:
        assert users[name].profile_fields
        with default_storage.open(picture_path(kind=HEADER, name=users[name].header)) as file:
            assert Image.open(file).size == (900, 300)
    assert 4 < sum(bool(user.header) for user in users.values()) < 40
    assert 4 < sum(bool(user.profile_fields) for user in users.values()) < 40


def test_a_deleted_post_takes_only_its_own_files_with_it():
    restore_demo()
    posts = [post for post in Post.objects.order_by("pk") if "image" in media_kinds(post)]
    contents: dict[bytes, list[Post]] = {}
    for post in posts:
        path = picture_files.storage_path(name=post.media[0]["name"], size="small")
        with default_storage.open(path) as file:
            contents.setdefault(file.read(), []).append(post)
    deleted, other = next(group for group in contents.values() if len(group) > 1)[:2]
    deleted_paths, other_paths = (
        [picture_files.storage_path(name=entry["name"], size="small") for entry in post.media]
        for post in (deleted, other)
    )
    delete_post(post_id=deleted.pk, actor=deleted.author)
    picture_files.delete_discarded()
    assert not any(map(default_storage.exists, deleted_paths))
    assert all(map(default_storage.exists, other_paths))


def test_a_site_with_users_is_not_changed(alice):
    assert seed("--if-empty") == ""
    with pytest.raises(CommandError, match="already has accounts"):
        seed()
    assert User.objects.count() == 1
    assert not Post.objects.exists()


def test_a_finished_demo_is_not_changed():
    restore_demo()
    Post.objects.exclude(visibility="direct").first().delete()
    assert seed("--if-empty") == ""
    with pytest.raises(CommandError, match="already has accounts"):
        seed()
    assert Post.objects.exclude(visibility="direct").count() == 199


def test_a_dry_run_writes_nothing():
    assert "nothing was written" in seed("--dry-run")
    assert not User.objects.exists()
    UserFactory()
    assert "nothing was written" in seed("--dry-run")


@pytest.mark.parametrize("option", ["--people=3", "--posts=-1", "--follows=5000"])
def test_impossible_numbers_are_refused(option):
    with pytest.raises(CommandError, match=option.partition("=")[0]):
        seed(option)
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("create_users", KeyboardInterrupt),
        ("create_follows", OSError),
        ("warm_inboxes", OSError),
    ],
)
def test_the_next_call_finishes_an_interrupted_demo(monkeypatch, step, error):
    for batch, size in (("USER", 5), ("FOLLOW", 20)):
        monkeypatch.setattr(builder, f"{batch}_BATCH_SIZE", size)
    whole = getattr(builder, step)

    def stopped(*arguments):
        steps = whole(*arguments)
        yield next(steps)
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(builder, step, stopped)
        with pytest.raises(CommandError if error is KeyboardInterrupt else error):
            seed("--seed=5", size=TINY)
    seed("--if-empty")  # finishes the interrupted demo with its size and seed
    check_site(size=TINY, seed=5)
    assert seed("--if-empty") == ""


class Killed(BaseException):
    """The death of the process. No code of the site catches this exception."""


def test_the_next_call_finishes_a_demo_that_was_killed_between_two_deliveries(
    settings, monkeypatch
):
    deliver, numbers = strategies.deliver, count()

    def deliver_or_die(**arguments):
        if next(numbers) == 7:
            raise Killed
        deliver(**arguments)

    monkeypatch.setattr(strategies, "deliver", deliver_or_die)
    with pytest.raises(Killed):
        seed(size=TINY)
    monkeypatch.setattr(strategies, "deliver", deliver)
    assert connection.database["inbox_heads"].count_documents({}) == 12
    assert Post.objects.filter(delivery_state="pending").exists()
    seed("--if-empty")
    check_site(size=TINY)
    check_timelines(settings)
