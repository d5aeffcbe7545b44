"""The page with the newest posts of the followed users who post least."""

from accounts.services.blocks_and_mutes import mute_user
from feed.models import Post
from feed.services.moderation import set_post_hidden
from feed.timeline.quiet_authors import MAX_READS, READ_PER_AUTHOR, quiet_authors_page
from tests.factories import follow, follow_in_bulk, people, publish, publish_many


def hide(post):
    set_post_hidden(post_id=post, state=Post.Hidden.REMOVED)


def shown(viewer, limit=9, offset=0):
    page = quiet_authors_page(viewer=viewer.pk, limit=limit, offset=offset)
    return [post.id for post in page.posts], page.older_cursor


def test_the_newest_post_of_each_author_is_shown_least_active_first(alice, bob, carol):
    follow(alice, bob, carol)
    publish(alice)
    of_bob = publish_many(bob, 3)
    of_carol = publish_many(carol, 2)
    assert shown(alice) == ([of_carol[-1], of_bob[-1]], None)
    assert shown(alice, limit=1) == ([of_carol[-1]], "1")
    assert shown(alice, limit=1, offset=1) == ([of_bob[-1]], None)
    assert shown(alice, offset=2) == ([], None)


def test_muted_users_are_not_shown(alice, bob, carol):
    follow(alice, bob, carol)
    publish(bob)
    of_carol = publish(carol)
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert shown(alice) == ([of_carol], None)


def test_a_hidden_post_is_replaced_by_the_one_before(alice, bob):
    follow(alice, bob)
    older, newest = publish(bob), publish(bob)
    hide(newest)
    assert shown(alice) == ([older], None)


def test_authors_without_visible_posts_make_room_for_others(alice):
    authors = people(MAX_READS + 3)
    follow_in_bulk(alice, authors)
    hidden = [publish(author) for author in authors]
    visible = [publish_many(author, READ_PER_AUTHOR)[-1] for author in authors[:1]]
    for post in hidden[1:]:
        hide(post)
    first, cursor = shown(alice, limit=1)
    assert (first, cursor) == ([], str(MAX_READS))
    assert shown(alice, limit=2, offset=int(cursor)) == (visible, None)


def test_a_page_loads_only_the_posts_it_may_show(alice, record_commands):
    authors = people(30)
    follow_in_bulk(alice, authors)
    delivered = {"text": "Hello", "delivery_state": Post.DeliveryState.DONE}
    Post.objects.bulk_create(Post(author=author, **delivered) for author in authors * 5)
    with record_commands() as commands:
        posts, _cursor = shown(alice, limit=20)
    assert len(posts) == 20
    [read] = [asked for name, asked in commands if name == "find" and asked[name] == "feed_post"]
    assert len(read["filter"]["_id"]["$in"]) == 20 * READ_PER_AUTHOR
    assert len(commands) <= 9
