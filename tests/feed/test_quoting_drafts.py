"""Drafts and scheduled posts that quote a post."""

import pytest

from accounts.models import User
from feed.models import Post
from feed.services import drafts as services
from feed.services.posts import delete_post
from feed.services.quotes import CannotQuote
from feed.store.collections import drafts
from tests.actions import publish_post
from tests.api.api_client import Api
from tests.factories import publish
from tests.feed.draft_helpers import draft_of, let_come_due, schedule, stored
from tests.feed.quote_helpers import number, seen_quote
from tests.feed.reading_html import words


@pytest.fixture
def quoted(bob: User) -> int:
    return publish(bob, "Worth a quote")


def test_the_composer_keeps_the_quote_of_a_draft(client, alice, quoted):
    client.force_login(alice)
    client.post("/posts/", {"text": "Hm", "save": "draft", "quote": str(quoted)})
    draft_id = drafts().find_one()["_id"]
    page = client.get(f"/drafts/{draft_id}/").content.decode()
    assert "Worth a quote" in page
    assert f'name="quote" value="{quoted}"' in page
    client.post(f"/drafts/{draft_id}/", {"text": "Look at this", "quote": str(quoted)})
    post = Post.objects.get(author=alice)
    assert seen_quote(post.pk).post.id == quoted
    assert number(quoted) == 1


def test_a_scheduled_post_quotes_at_its_time(alice, quoted):
    draft = schedule(alice, quoted_id=quoted)
    let_come_due(draft)
    services.publish_due_post(draft_id=draft)
    services.publish_due_post(draft_id=draft)
    assert seen_quote(Post.objects.get(author=alice).pk).post.id == quoted
    assert number(quoted) == 1


def test_a_scheduled_post_whose_quote_is_gone_becomes_a_draft(client, alice, bob, quoted):
    draft = schedule(alice, "About this", quoted_id=quoted)
    delete_post(post_id=quoted, actor=bob)
    let_come_due(draft)
    services.publish_due_post(draft_id=draft)
    assert not Post.objects.filter(author=alice).exists()
    assert stored(draft, alice).problem == "The post that you quote is no longer available."
    client.force_login(alice)
    page = client.get(f"/drafts/{draft}/").content.decode()
    assert "The post that you quote is no longer available." in words(page)
    assert 'name="quote"' not in page
    client.post(f"/drafts/{draft}/", {"text": "About nothing"})
    assert Post.objects.get(author=alice).attributes == [{"kind": "language", "value": "en"}]


def test_what_may_not_be_quoted_cannot_be_scheduled(alice, bob):
    closed = publish_post(author=bob.pk, text="Not this", quote_policy="nobody")
    with pytest.raises(CannotQuote):
        schedule(alice, quoted_id=closed)
    draft = draft_of(alice, quoted_id=closed)
    with pytest.raises(CannotQuote):
        services.publish_draft(draft=stored(draft, alice))
    assert stored(draft, alice).problem == ""


def test_apps_schedule_quotes(alice, bob, quoted):
    api = Api(alice)
    inputs = {
        "status": "x",
        "scheduled_at": "2028-01-01T00:00:00Z",
        "quote_approval_policy": "nobody",
    }
    params = api.post("statuses", **inputs, quoted_status_id=str(quoted)).json()["params"]
    assert params["quoted_status_id"] == str(quoted)
    assert params["quote_approval_policy"] == "nobody"
    closed = publish_post(author=bob.pk, text="Not this", quote_policy="nobody")
    assert api.post("statuses", **inputs, quoted_status_id=str(closed)).status_code == 422
