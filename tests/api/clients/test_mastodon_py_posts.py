"""Posts, timelines, lists, filters and hashtags with Mastodon.py."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from mastodon import Mastodon, MastodonAPIError, MastodonNotFoundError

from accounts.models import User
from feed import tasks
from feed.models import Post
from notifications import tasks as notification_tasks
from tests.api.api_client import token_of
from tests.clips import video
from tests.factories import follow, publish
from tests.uploads import picture


def client_of(site: str, user: User) -> Mastodon:
    return Mastodon(
        access_token=token_of(user),
        api_base_url=site,
        mastodon_version="4.4.0",
        version_check_mode="none",
    )


@pytest.fixture
def client(site, alice):
    return client_of(site, alice)


@pytest.fixture
def other(site, bob):
    return client_of(site, bob)


def ids(statuses):
    return [int(status.id) for status in statuses]


def test_a_post_is_scheduled_and_rescheduled(client, other):
    at = (datetime.now(UTC) + timedelta(hours=1)).replace(microsecond=0)
    media = client.media_post(io.BytesIO(picture()), "image/png", description="A red square")
    scheduled = client.status_post(
        "Later", scheduled_at=at, media_ids=[media], visibility="unlisted", spoiler_text="Tea"
    )
    assert scheduled.scheduled_at == at
    assert (scheduled.params.text, scheduled.params.visibility) == ("Later", "unlisted")
    assert scheduled.media_attachments[0]["description"] == "A red square"
    poll = client.make_poll(["Tea", "Coffee"], 7200)
    with_poll = client.status_post("Which?", poll=poll, scheduled_at=at)
    assert with_poll.params.poll.options == ["Tea", "Coffee"]
    assert ids(client.scheduled_statuses()) == [int(with_poll.id), int(scheduled.id)]
    assert ids(client.scheduled_statuses(max_id=with_poll)) == [int(scheduled.id)]
    assert other.scheduled_statuses() == []
    later = at + timedelta(days=1)
    assert client.scheduled_status_update(scheduled, later).scheduled_at == later
    assert client.scheduled_status(scheduled).scheduled_at == later
    with pytest.raises(MastodonAPIError, match="five minutes"):
        client.status_post("Now", scheduled_at=datetime.now(UTC))
    question = other.status_post("Why?")
    reply = client.status_post("Because", in_reply_to_id=question, scheduled_at=at)
    assert reply.params.in_reply_to_id == question.id
    for row in (scheduled, with_poll, reply):
        client.scheduled_status_delete(row)
        with pytest.raises(MastodonNotFoundError):
            client.scheduled_status(row)
    assert client.scheduled_statuses() == []
    assert client.timeline_home() == []


def test_a_video_is_published_when_it_is_ready(client):
    media = client.media_post(io.BytesIO(video()), "video/mp4", description="Bars")
    assert (media.type, media.url) == ("video", None)
    with pytest.raises(MastodonAPIError, match="has not finished processing"):
        client.status_post("Watch", media_ids=[media])
    tasks.process_clip(clip_id=int(media.id))
    ready = client.media(media)
    assert ready.url
    assert (ready.meta.original.width, ready.meta.original.frame_rate) == (64, "10/1")
    post = client.status_post("Watch", media_ids=[ready])
    assert post.media_attachments[0].type == "video"
    assert post.media_attachments[0].description == "Bars"


def test_a_post_with_a_picture_is_published_and_edited(client):
    media = client.media_post(
        io.BytesIO(picture()), "image/png", description="A red square", focus=(0.5, -0.5)
    )
    assert media.description == "A red square"
    assert client.media_update(media, description="Red").description == "Red"
    post = client.status_post("Look", media_ids=[media], spoiler_text="Colours")
    assert post.media_attachments[0].meta.focus == {"x": 0.5, "y": -0.5}
    edits = [client.generate_media_edit_attributes(media.id, description="Rouge")]
    changed = client.status_update(post, "Look here", media_attributes=edits)
    assert changed.content == "<p>Look here</p>"
    assert changed.media_attachments[0].description == "Rouge"
    second = client.media_post(io.BytesIO(picture()), "image/png", description="Another")
    assert (
        len(client.status_update(post, "Look here", media_ids=[second, media]).media_attachments)
        == 2
    )
    assert (
        client.status_update(post, "Look here", media_ids=[media]).media_attachments[0].id
        == media.id
    )
    assert [len(status.media_attachments) for status in client.status_history(post)] == [1, 1, 2, 1]
    assert [status.spoiler_text for status in client.status_history(post)][:2] == ["Colours", ""]
    assert client.status_source(post).text == "Look here"
    deleted = client.status_delete(post)
    assert deleted.text == "Look here"
    again = client.status_post(deleted.text, media_ids=deleted.media_attachments)
    assert again.media_attachments[0].description == "Rouge"


def test_polls_are_published_read_edited_and_voted_in(client, other):
    poll = client.make_poll(["One", "Two", "Three"], 600, multiple=True, hide_totals=True)
    post = client.status_post("Which?", poll=poll)
    voted = other.poll_vote(post.poll, [0, 2])
    assert (voted.voted, voted.own_votes, voted.voters_count) == (True, [0, 2], 1)
    assert [option.votes_count for option in client.poll(post.poll).options] == [None] * 3
    changed = client.status_update(post, "Which now?", poll=client.make_poll(["A", "B"], 600))
    assert [option.title for option in changed.poll.options] == ["A", "B"]
    assert changed.poll.voters_count == 0


def test_posts_are_quoted_and_quotes_revoked(client, other):
    post = client.status_post("Rain", quote_approval_policy="public")
    quoting = other.status_post("Indeed", quoted_status_id=post)
    assert quoting.quote.state == "accepted"
    assert quoting.quote.quoted_status.id == post.id
    assert client.notifications(types=["quote"])[0].status.id == quoting.id
    assert ids(client.status_quotes(post)) == ids([quoting])
    other.status_reblog(post)
    client.status_update(post, "Sunshine")
    notification_tasks.notify_about_edit(post_id=int(post.id))
    assert other.notifications(types=["quoted_update"])[0].status.id == quoting.id
    assert other.notifications(types=["update"])[0].status.id == post.id
    assert client.status(post).quotes_count == 1
    revoked = client.status_quote_revoke(post, quoting)
    assert (revoked.quote.state, revoked.quote.quoted_status) == ("revoked", None)
    assert client.status_quotes(post) == []
    changed = client.status_update_quote_approval_policy(post, "nobody")
    assert changed.quote_approval.automatic == []
    assert other.status(post).quote_approval.current_user == "denied"
    assert client.preferences()["posting:default:quote_policy"] == "public"


def test_a_link_has_a_card_and_a_timeline(client):
    url = "https://example.org/rivers"
    post = client.status_post(f"Look: {url}")
    assert post.card is None
    card = {
        "url": url,
        "title": "Rivers",
        "author": "Ada",
        "published_at": "2026-01-01T00:00:00+00:00",
    }
    Post.objects.filter(pk=int(post.id)).update(link_card=card)
    (linked,) = client.timeline_link(url)
    assert (linked.id, linked.card.title, linked.card.author_name) == (post.id, "Rivers", "Ada")
    assert client.status_card(post).authors[0].name == "Ada"
    assert client.timeline_link("https://example.org/") == []


def test_posts_are_commented_shared_liked_bookmarked_and_pinned(client, other, alice):
    post = client.status_post("What do you think?")
    reply = other.status_reply(post, "This")
    deeper = client.status_post("And that", in_reply_to_id=reply)
    assert ids(client.status_context(post).descendants) == ids([reply, deeper])
    assert ids(client.status_context(deeper).ancestors) == ids([post, reply])
    for status in (post, reply):
        assert other.status_favourite(status).favourited
        assert other.status_bookmark(status).bookmarked
    assert ids(other.favourites()) == ids(other.bookmarks()) == ids([reply, post])
    assert [account.username for account in client.status_favourited_by(reply)] == ["bob"]
    assert other.status_reblog(post).reblog.reblogged
    assert [account.username for account in client.status_reblogged_by(post)] == ["bob"]
    assert client.status_pin(post).pinned
    assert not client.status_unpin(post).pinned
    assert not other.status_unreblog(post).reblogged
    for status in (post, reply):
        assert not other.status_unfavourite(status).favourited
        assert not other.status_unbookmark(status).bookmarked
    assert other.favourites() == other.bookmarks() == []
    assert ids(client.statuses([post, reply])) == ids([post, reply])
    assert client.status_update(deeper, "Or that").content == "<p>Or that</p>"
    client.status_delete(deeper)
    assert client.status_context(post).descendants[0].replies_count == 0


def test_timelines_are_paged_in_both_directions(client, alice, bob):
    posts = [publish(alice, f"#cats {number}") for number in range(5)][::-1]
    friends = client.list_create("Friends")
    client.list_accounts_add(friends, [str(alice.pk)])
    for first in (
        client.timeline_home(limit=2),
        client.timeline_public(limit=2),
        client.timeline_hashtag("cats", limit=2),
        client.timeline_list(friends, limit=2),
    ):
        page, seen, pages = first, [], []
        while page:
            seen += ids(page)
            pages.append(page)
            page = client.fetch_next(page)
        assert seen == posts
        for upper, lower in zip(pages[-2::-1], pages[:0:-1], strict=True):
            assert ids(client.fetch_previous(lower)) == ids(upper)
        assert not client.fetch_previous(first)


def test_direct_posts_are_conversations(client, other):
    post = client.status_post("@bob psst", visibility="direct")
    (result,) = other.conversations()
    assert (result.last_status.id, result.accounts[0].username) == (post.id, "alice")
    assert result.unread
    answer = other.status_reply(post, "yes?", visibility="direct")
    assert not other.conversations()[0].unread
    (result,) = client.conversations()
    assert (result.last_status.id, result.unread) == (answer.id, True)
    assert not client.conversations_read(result).unread
    assert not client.conversations()[0].unread


def test_lists_are_created_changed_and_deleted(client, alice, bob):
    follow(alice, bob)
    result = client.list_create("Friends", replies_policy="followed", exclusive=True)
    assert (result.replies_policy, result.exclusive) == ("followed", True)
    client.list_accounts_add(result, [str(bob.pk)])
    assert [account.username for account in client.list_accounts(result)] == ["bob"]
    client.list_accounts_delete(result, [str(bob.pk)])
    assert client.list_accounts(result) == []
    assert client.list_update(result, "People").title == "People"
    assert [list_.title for list_ in client.lists()] == ["People"]
    client.list_delete(result)
    assert client.lists() == []


def test_filters_are_created_changed_and_deleted(client, alice, bob):
    follow(alice, bob)
    publish(bob, "A cat")
    words = [{"keyword": "cat", "whole_word": True}]
    v2 = client.create_filter_v2("Pets", ["home"], "warn", keywords_attributes=words)
    assert client.timeline_home()[0].filtered[0].keyword_matches == ["cat"]
    assert client.filter_v2(v2).title == "Pets"
    word = client.add_filter_keyword_v2(v2, "dog")
    assert [status.keyword for status in client.filter_keywords_v2(v2)] == ["cat", "dog"]
    client.delete_filter_keyword_v2(word)
    assert client.filter_statuses_v2(v2) == []
    row = client.add_filter_status_v2(v2, client.timeline_home()[0])
    assert client.filter_status_v2(row).status_id == client.timeline_home()[0].id
    assert len(client.timeline_home()[0].filtered[0].status_matches) == 1
    client.delete_filter_status_v2(row)
    assert client.filter_statuses_v2(v2) == []
    assert client.update_filter_v2(v2, filter_action="hide").filter_action == "hide"
    assert client.timeline_home() == []
    assert [filter_.phrase for filter_ in client.filters()] == ["cat"]
    client.delete_filter_v2(v2)
    assert client.filters_v2() == []
    old = client.filter_create("dog", ["home"], expires_in=60)
    client.filter_delete(client.filter_update(old, phrase="mouse", context=["home"]))
    assert client.filters() == []


def test_hashtags_are_featured(client):
    client.status_post("A #cat")
    assert [tag.name for tag in client.featured_tag_suggestions()] == ["cat"]
    featured = client.featured_tag_create("cat")
    assert client.featured_tags() == [featured]
    client.featured_tag_delete(featured)
    assert client.featured_tags() == []
    assert client.tag_feature("cat").featuring
    assert not client.tag_unfeature("cat").featuring


def test_hashtags_are_followed_and_unsupported_lists_are_empty(client):
    assert client.tag_follow("cats").following
    assert [tag.name for tag in client.followed_tags()] == ["cats"]
    assert not client.tag_unfollow("cats").following
    assert client.tag("cats").name == "cats"
    for empty in (
        client.trending_tags,
        client.trending_statuses,
        client.trending_links,
        client.custom_emojis,
    ):
        assert empty() == []
