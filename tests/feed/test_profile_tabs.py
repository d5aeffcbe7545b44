"""The tabs of a profile: posts, comments, pictures and reviews."""

import re

import pytest

from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private
from feed.models import Post
from feed.store import posts
from tests.actions import add_comment, delete_comment, publish_post, share_post
from tests.factories import add_conversation, follow_many, people, publish, publish_many

TABS = {
    "posts": "/@bob/",
    **{name: f"/@bob/{name}/" for name in ("comments", "pictures", "reviews")},
}
REVIEW = {"kind": "review", "details": {"item": "book", "title": "Dune", "stars": 4}}


@pytest.fixture
def as_alice(client, alice):
    client.force_login(alice)
    return client


def page_of(client, tab, **query):
    response = client.get(TABS[tab], query)
    assert response.status_code == 200
    return response.content.decode()


def comments_on(html):
    return [
        int(id_) for id_ in re.findall(r'<article class="post comment" id="comment-(\d+)"', html)
    ]


def posts_on(html):
    return [int(id_) for id_ in re.findall(r'<article class="post" id="post-(\d+)"', html)]


def set_picture(post_id):
    media = [{"id": 1, "name": "0" * 32, "alt": "", "width": 2, "height": 2}]
    Post.objects.filter(pk=post_id).update(media=media)


def test_each_tab_is_a_link_and_the_current_tab_is_marked(client, bob):
    for tab, path in TABS.items():
        html = page_of(client, tab)
        for other in TABS.values():
            assert f'<a href="{other}"' in html
        tabs = html.partition('<nav class="tabs" aria-label="Profile">')[2].partition("</nav>")[0]
        assert re.findall(r'href="([^"]*)" aria-current="page"', tabs) == [path]


def test_empty_tabs_say_so(client, bob):
    expected = {
        "posts": "has not posted yet",
        "comments": "No comments yet",
        "pictures": "No pictures yet",
        "reviews": "No reviews yet",
    }
    for tab, words in expected.items():
        assert words in page_of(client, tab)


def test_tabs_show_their_kind_of_content(as_alice, alice, bob):
    plain = publish(bob, "Plain")
    with_picture = publish(bob, "With a picture")
    set_picture(with_picture)
    shared = publish(alice, "Picture by alice")
    set_picture(shared)
    share = share_post(post_id=shared, actor=bob)
    review = publish_post(author=bob.pk, text="Good", **REVIEW)
    comment = add_comment(post_id=publish(alice, "Question?"), actor=bob, text="An answer")
    reply = add_comment(
        post_id=plain,
        actor=bob,
        text="And a reply",
        parent_id=add_comment(post_id=plain, actor=alice, text="Well"),
    )
    assert posts_on(page_of(as_alice, "posts")) == [review, share, with_picture, plain]
    assert posts_on(page_of(as_alice, "pictures")) == [with_picture]
    assert posts_on(page_of(as_alice, "reviews")) == [review]
    html = page_of(as_alice, "comments")
    assert comments_on(html) == [reply, comment]
    assert "Question?" in html
    delete_comment(post_id=plain, comment_id=reply, actor=bob)
    assert comments_on(page_of(as_alice, "comments")) == [comment]


def test_the_comments_tab_shows_only_comments_that_the_viewer_may_read(client, alice, bob):
    carol, dora = people(2)
    done = Post.DeliveryState.DONE
    rows = Post.objects.bulk_create(
        Post(author=author, text="x", delivery_state=done, **fields)
        for author, fields in (
            (carol, {}),
            (carol, {"visibility": "followers"}),
            (carol, {"visibility": "direct", "recipients": [bob.pk]}),
            (dora, {}),
        )
    )
    public, for_followers, direct, by_dora = (
        add_conversation(row.pk, comments=[(bob, "A comment")])[0] for row in rows
    )
    follow_many([bob], carol)
    block_user(owner=dora.pk, other=alice.pk)
    everything = [by_dora, direct, for_followers, public]
    assert comments_on(page_of(client, "comments")) == [by_dora, public]
    client.force_login(bob)
    assert comments_on(page_of(client, "comments")) == everything
    client.force_login(alice)
    assert comments_on(page_of(client, "comments")) == [public]
    follow_many([alice], carol)
    assert comments_on(page_of(client, "comments")) == [for_followers, public]
    mute_user(owner=alice.pk, other=bob.pk, until=None)
    assert comments_on(page_of(client, "comments")) == [for_followers, public]
    client.logout()
    set_private(uid=carol.pk, is_private=True)
    assert comments_on(page_of(client, "comments")) == [by_dora]


@pytest.mark.parametrize("reason", ["private", "limited", "blocking", "blocked"])
def test_tabs_are_empty_if_the_posts_are_hidden(client, as_alice, alice, bob, reason):
    add_comment(post_id=publish(alice, "Mine"), actor=bob, text="A secret answer")
    for post_id in (publish(bob, "A secret post"), publish_post(author=bob.pk, text="s", **REVIEW)):
        set_picture(post_id)
    match reason:
        case "private":
            set_private(uid=bob.pk, is_private=True)
        case "limited":
            set_limited(uid=bob.pk, is_limited=True)
        case "blocking":
            block_user(owner=bob.pk, other=alice.pk)
        case "blocked":
            block_user(owner=alice.pk, other=bob.pk)
    for tab in TABS:
        html = page_of(as_alice, tab)
        assert (posts_on(html), comments_on(html)) == ([], []), tab
        assert "secret" not in html


def test_the_comments_tab_is_paged_in_both_directions(as_alice, alice, bob, settings):
    settings.FEED_PAGE_SIZE = 3
    for post_id in publish_many(alice, 2):
        add_conversation(post_id, comments=[(user, "x") for user in (bob, alice, bob, bob)])
    html, seen = page_of(as_alice, "comments"), []
    while True:
        seen.append(comments_on(html))
        older = re.search(r'href="\?max_id=(\d+)" rel="next"', html)
        if older is None:
            break
        html = page_of(as_alice, "comments", max_id=older[1])
    written = [id_ for page in seen for id_ in page]
    assert [len(page) for page in seen] == [3, 3]
    assert written == sorted(written, reverse=True)
    newer = re.search(r'href="\?min_id=(\d+)" rel="prev"', html)[1]
    assert comments_on(page_of(as_alice, "comments", min_id=newer)) == seen[0]


def test_cursors_do_not_reveal_comments_on_hidden_posts(as_alice, alice, bob, settings):
    settings.FEED_PAGE_SIZE = 2
    (carol,) = people(1)
    done, shown, hidden = Post.DeliveryState.DONE, [], []
    rows = Post.objects.bulk_create(
        Post(author=carol, text="x", delivery_state=done, visibility=visibility)
        for visibility in ("public", "followers") * 5
    )
    for row in rows:
        ids = add_conversation(row.pk, comments=[(bob, "A comment")])
        (shown if row.visibility == "public" else hidden).extend(ids)
    for query in ({}, {"max_id": hidden[4]}, {"min_id": 1}, {"min_id": hidden[1]}):
        html = page_of(as_alice, "comments", **query)
        assert len(comments_on(html)) == 2
        cursors = {int(id_) for id_ in re.findall(r'"\?(?:max|min)_id=(\d+)', html)}
        assert not cursors & {*hidden}, query


def test_a_tab_without_matches_among_the_newest_posts_leads_to_older_posts(
    as_alice, bob, monkeypatch
):
    monkeypatch.setattr(posts, "MAX_EXAMINED", 4)
    review = publish_post(author=bob.pk, text="Good", **REVIEW)
    publish_many(bob, 5)
    html = page_of(as_alice, "reviews")
    assert posts_on(html) == []
    assert "No reviews yet" not in html
    older = re.search(r'href="\?max_id=(\d+)"', html)[1]
    assert posts_on(page_of(as_alice, "reviews", max_id=older)) == [review]


def test_scrolling_swaps_in_the_next_posts_of_the_same_tab(as_alice, bob, settings):
    settings.FEED_PAGE_SIZE = 1
    reviews = [publish_post(author=bob.pk, text=f"r{n}", **REVIEW) for n in range(2)]
    publish(bob, "no review")
    html = as_alice.get(
        TABS["reviews"], {"max_id": reviews[1]}, headers={"HX-Request": "true"}
    ).content.decode()
    assert posts_on(html) == [reviews[0]]
    assert "<nav" not in html
