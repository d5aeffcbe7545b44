"""The scheduler: posts are published at their time, exactly once, or become drafts with a reason."""

from contextlib import suppress
from datetime import timedelta

import pytest
from celery.schedules import crontab
from django.conf import settings as site_settings
from django.utils import timezone
from pymongo.errors import OperationFailure

from accounts.models import User
from accounts.services.account_status import deactivate_account, reactivate_account
from accounts.services.blocks_and_mutes import block_user
from feed import tasks
from feed.models import Post
from feed.services import drafts as services
from feed.services import publication
from feed.services.posts import delete_post
from feed.store.collections import drafts
from feed.store.comments import all_comment_ids, by_ids
from notifications.store import boxes
from tests.actions import add_comment, content_of, edit_post
from tests.at_once import at_once
from tests.factories import follow, publish
from tests.feed.draft_helpers import draft_of, let_come_due, schedule, stored
from tests.feed.reading_html import words
from tests.feed.workers import Worker, wait_until


@pytest.fixture
def enqueued(monkeypatch):
    """Collect the enqueued tasks as ``(draft id, delay)``."""
    results = []
    monkeypatch.setattr(
        tasks.publish_due_post,
        "apply_async",
        lambda *, kwargs, retry, countdown=0: results.append((kwargs["draft_id"], countdown)),
    )
    return results


def run(enqueued):
    """Run the periodic job and the tasks that it enqueues."""
    tasks.publish_due_posts()
    while enqueued:
        tasks.publish_due_post(draft_id=enqueued.pop(0)[0])


def notified(user):
    return [(row.kind, row.target_id) for row in boxes.get(recipient=user.pk).recent]


def test_a_post_is_published_at_its_time(client, alice, bob, enqueued):
    follow(bob, alice)
    post = schedule(alice, "It is time, @bob #tea", content_warning="Tea", language="en")
    draft_of(alice, "Never by itself")
    run(enqueued)
    assert not Post.objects.exists()
    let_come_due(post)
    run(enqueued)
    published = Post.objects.get()
    assert (published.text, published.content_warning) == ("It is time, @bob #tea", "Tea")
    assert timezone.now() - published.created_at < timedelta(minutes=1)
    assert [row.kind for row in boxes.get(recipient=bob.pk).recent] == ["mention"]
    client.force_login(bob)
    assert "It is time" in client.get("/").content.decode()
    assert drafts().count_documents({}) == 1
    run(enqueued)
    assert Post.objects.count() == 1


def test_the_job_runs_at_the_start_of_each_minute_and_waits_for_seconds(alice, enqueued):
    job = site_settings.CELERY_BEAT_SCHEDULE["feed.tasks.publish_due_posts"]
    assert job["schedule"] == crontab()
    now = timezone.now()
    soon, next_minute = schedule(alice), schedule(alice)
    for draft_id, seconds in ((soon, 40), (next_minute, 70)):
        at = now + timedelta(seconds=seconds)
        drafts().update_one({"_id": draft_id}, {"$set": {"due_at": at, "check_at": at}})
    tasks.publish_due_posts()
    ((draft_id, delay),) = enqueued
    assert draft_id == soon
    assert 30 < delay <= 40
    # A task that starts too early does nothing, and the job does not enqueue it again.
    tasks.publish_due_post(draft_id=soon)
    tasks.publish_due_posts()
    assert not Post.objects.exists()
    assert len(enqueued) == 1


def test_a_lost_task_is_enqueued_again(alice, enqueued):
    post = schedule(alice)
    let_come_due(post)
    tasks.publish_due_posts()
    enqueued.clear()
    later = drafts().find_one({"_id": post})["check_at"]
    assert later.replace(tzinfo=None) > timezone.now().replace(tzinfo=None) + timedelta(minutes=2)
    drafts().update_one({"_id": post}, {"$set": {"check_at": timezone.now()}})
    run(enqueued)
    assert Post.objects.count() == 1


def test_tasks_at_the_same_time_publish_once(alice):
    post = schedule(alice)
    let_come_due(post)

    def publish():
        tasks.publish_due_post(draft_id=post)

    at_once(*[publish] * 4)
    assert Post.objects.count() == 1
    assert not drafts().count_documents({})


@pytest.mark.parametrize("stops", ["before the commit", "after the commit"])
def test_a_worker_that_dies_publishes_exactly_once(alice, bob, monkeypatch, stops):
    follow(bob, alice)
    post = schedule(alice)
    let_come_due(post)

    def die(*_args, **_kwargs):
        raise SystemExit

    name = "attach_pictures" if stops == "before the commit" else "start_delivery"
    with monkeypatch.context() as context:
        context.setattr(publication, name, die)
        with pytest.raises(SystemExit):
            tasks.publish_due_post(draft_id=post)
    is_published = stops == "after the commit"
    assert (Post.objects.count(), drafts().count_documents({})) == (is_published, not is_published)
    tasks.publish_due_post(draft_id=post)
    assert Post.objects.count() == 1
    assert not drafts().count_documents({})


def test_an_edit_while_a_worker_publishes_is_not_lost(alice, enqueued):
    post = schedule(alice)
    let_come_due(post)
    claimed = stored(post, alice)
    later = timezone.now() + timedelta(hours=3)
    services.change_draft(draft=claimed, due_at=later, content=content_of("Changed"))
    with pytest.raises(services.DraftChanged):
        services.publish_draft(draft=claimed)
    run(enqueued)
    assert not Post.objects.exists()
    assert stored(post, alice).content.text == "Changed"


# --- Posts that cannot be published ------------------------------------------------------------
def test_a_post_of_an_inactive_user_becomes_a_draft(client, alice, enqueued):
    post = schedule(alice)
    deactivate_account(uid=alice.pk)
    let_come_due(post)
    run(enqueued)
    assert not Post.objects.exists()
    reactivate_account(uid=alice.pk)
    draft = stored(post, alice)
    assert (draft.due_at, draft.problem) == (None, "Your account was not active at the time.")
    client.force_login(User.objects.get(pk=alice.pk))
    assert "Your account was not active" in client.get("/drafts/").content.decode()
    client.post(f"/drafts/{post}/publish/")
    assert Post.objects.count() == 1


def test_a_refused_post_becomes_a_draft_and_its_author_is_notified(client, alice, bob, enqueued):
    to_bob = schedule(alice, "@bob psst", visibility="direct")
    block_user(owner=bob.pk, other=alice.pk)
    let_come_due(to_bob)
    for _run in range(2):
        run(enqueued)
    assert "You cannot send direct posts to @bob." in stored(to_bob, alice).problem
    assert notified(alice) == [("refused_post", to_bob)]
    client.force_login(alice)
    page = client.get("/notifications/").content.decode()
    assert "Your scheduled post could not be published." in page
    assert f'href="/drafts/{to_bob}/"' in page
    assert not Post.objects.exists()


def test_posts_beyond_the_rate_limit_become_drafts(alice, enqueued, settings):
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "post": "1/h"}
    posts = [schedule(alice, f"{n}") for n in range(2)]
    let_come_due(*posts)
    run(enqueued)
    assert Post.objects.count() == 1
    assert "You have posted once" in drafts().find_one({})["problem"]


def test_a_post_that_causes_errors_becomes_a_draft_in_the_end(alice, enqueued):
    post = schedule(alice)
    let_come_due(post)
    drafts().update_one({"_id": post}, {"$set": {"content.details": 1}})
    for _attempt in range(services.MAX_ATTEMPTS):
        assert stored(post, alice).due_at is not None
        drafts().update_one({"_id": post}, {"$set": {"check_at": timezone.now()}})
        with pytest.raises(TypeError):
            run(enqueued)
    assert "An error occurred" in stored(post, alice).problem
    assert not Post.objects.exists()


def test_first_posts_of_an_account_are_still_reviewed(alice, enqueued, settings):
    settings.FEED_REVIEW_FIRST_POSTS = 1
    post = schedule(alice)
    let_come_due(post)
    run(enqueued)
    assert Post.objects.get().hidden == "pending"


@pytest.mark.slow
def test_real_workers_publish_at_the_minute_and_survive_a_kill(alice, short_transactions, tmp_path):
    ids = [schedule(alice, f"{n}") for n in range(20)]
    let_come_due(*ids)
    with Worker(tmp_path) as worker:
        wait_until(Post.objects.exists, seconds=90, worker=worker)

    def publishes_the_rest() -> bool:
        # The server keeps the locks of a killed worker's transaction for a while. A later run of the
        # scheduler repeats what failed meanwhile.
        for draft_id in ids:
            with suppress(OperationFailure):
                tasks.publish_due_post(draft_id=draft_id)
        return not drafts().count_documents({})

    wait_until(publishes_the_rest, seconds=120)
    assert sorted(Post.objects.values_list("text", flat=True)) == sorted(map(str, range(20)))


# --- Comments ------------------------------------------------------------------------------------
def comment_texts(post):
    return [row.text for row in by_ids(ids=next(all_comment_ids(post=post), [])).values()]


def test_a_scheduled_comment_is_published_once_and_announced(alice, bob, enqueued):
    post = publish(bob)
    draft = schedule(alice, "I agree", reply_to_id=post, keeps_audience=True)
    let_come_due(draft)
    for _run in range(2):
        run(enqueued)
    assert comment_texts(post) == ["I agree"]
    assert [kind for kind, _target in notified(bob)] == ["comment"]
    assert not drafts().count_documents({})


def unreadable(post, alice, bob):
    block_user(owner=bob.pk, other=alice.pk)


def deleted(post, alice, bob):
    delete_post(post_id=post, actor=bob)


def closed(post, alice, bob):
    edit_post(post_id=post, actor=bob, text="Hello", reply_policy="nobody")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (deleted, "was deleted, or you can no longer read it"),
        (unreadable, "was deleted, or you can no longer read it"),
        (closed, "the author has limited who can comment"),
    ],
)
@pytest.mark.parametrize("answers_comment", [False, True])
def test_a_comment_without_its_post_becomes_a_draft_with_the_reason(
    client, alice, bob, enqueued, change, problem, answers_comment
):
    post = publish(bob)
    target = add_comment(post_id=post, actor=bob, text="And?") if answers_comment else post
    draft = schedule(alice, "I agree", reply_to_id=target, keeps_audience=True)
    change(post, alice, bob)
    let_come_due(draft)
    run(enqueued)
    assert problem in stored(draft, alice).problem
    assert notified(alice)[0] == ("refused_post", draft)
    client.force_login(alice)
    assert problem in client.get("/drafts/").content.decode()
    assert client.get(f"/drafts/{draft}/").status_code == 200
    assert client.post(f"/drafts/{draft}/", {"text": "Again"}).status_code == 422
    client.post(f"/drafts/{draft}/publish/")
    assert stored(draft, alice).content.text in ("I agree", "Again")


def test_the_draft_of_a_comment_is_edited_scheduled_and_published_on_pages(client, alice, bob):
    post = publish(bob, "A question")
    draft = schedule(alice, "I agree", reply_to_id=post, keeps_audience=True)
    client.force_login(alice)
    path = f"/drafts/{draft}/"
    assert "A question" in client.get(path).content.decode()
    assert "Publish at" in client.get(path).content.decode()
    assert "· Comment ·" in words(client.get("/drafts/scheduled/").content.decode())
    changed = {"text": "I disagree", "content_warning": "Tea"}
    assert client.post(path, changed | {"save": "draft"}).status_code == 302
    assert stored(draft, alice).due_at is None
    assert "Comment" in client.get("/drafts/").content.decode()
    assert client.post(path, changed | {"save": "schedule"}).status_code == 422
    tomorrow = timezone.localtime(timezone.now() + timedelta(days=1))
    at = f"{tomorrow:%Y-%m-%dT%H:%M}"
    assert client.post(path, changed | {"save": "schedule", "publish_at": at}).status_code == 302
    assert stored(draft, alice).due_at is not None
    assert client.post(path, changed | {"save": "draft", "text": "No"}).status_code == 302
    assert client.post(path, changed).status_code == 302
    assert comment_texts(post) == ["I disagree"]
    assert not drafts().count_documents({})
