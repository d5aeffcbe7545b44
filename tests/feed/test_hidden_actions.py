"""What people may not read leaves no trace: no page, number, cursor or feed of a stranger changes.

The same site is played twice: once with hidden actions between all public ones, and once without. Then all
that strangers can observe must be equal, except for ids and times.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client

from accounts.models import User
from accounts.services.account_status import suspend_user
from accounts.services.blocks_and_mutes import block_user, mute_user
from accounts.services.moderation import set_limited
from accounts.services.profiles import set_private
from feed.selectors import comments as selectors_comments
from feed.selectors.user_lists import owned_list
from feed.services.comments import unlike_comment
from feed.services.interactions import unlike_post, unshare_post
from feed.services.moderation import hide_comment, set_post_hidden
from feed.services.posts import delete_post
from feed.services.tags import follow_tag
from feed.services.user_lists import add_to_list, create_list
from feed.store import recount
from tests.actions import (
    add_comment,
    bookmark_post,
    delete_comment,
    edit_comment,
    edit_post,
    like_comment,
    like_post,
    share_post,
    vote,
)
from tests.api.api_client import Api, link
from tests.every_page import PAGES, VOLATILE, differences
from tests.factories import UserFactory, follow, publish
from tests.feed.draft_helpers import draft_of, schedule
from tests.feed.poll_helpers import publish_poll
from tests.feed.quote_helpers import quote
from tests.feed.workers import correct_numbers
from tests.worlds import world

pytestmark = pytest.mark.slow

LINKS = re.compile(r'(?:href|hx-get)="(\?(?:after|before|max_id|min_id|page)=[^"#]+)')
TIMES_AND_SIGNATURES = re.compile(
    r'\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?|title="[^"]*\b20\d\d\b[^"]*"'
    r'|data-shown="[^"]*"'
)
MAX_PAGES = {"carol": 4, "visitor": 1}
"""How many further pages of a list each viewer follows in each direction."""


@dataclass
class Cast:
    """Alice, Frank and Fay act in public. Bob acts in secret. Erin and Alice may read what he writes.

    Dave's account is private, and Erin follows him. Carol is a stranger to Bob and Dave. Gus does nothing.
    Hal and Ivy act in public while strangers do not see them.
    """

    alice: User
    bob: User
    carol: User
    dave: User
    erin: User
    fay: User
    frank: User
    gus: User
    hal: User
    ivy: User
    list_id: int = 0


@world
def cast() -> Cast:
    users = [UserFactory(username=name) for name in Cast.__annotations__ if name != "list_id"]
    people = Cast(*users)
    follow(people.erin, people.bob, people.dave)
    set_private(uid=people.dave.pk, is_private=True)
    people.dave.refresh_from_db()
    follow(people.carol, people.alice, people.frank)
    follow_tag(uid=people.carol.pk, tag="tea")
    people.list_id = create_list(owner=people.carol, title="Friends")
    user_list = owned_list(owner=people.carol.pk, list_id=people.list_id)
    add_to_list(owner=people.carol, user_list=user_list, uids=[people.alice.pk])
    return people


@dataclass
class Played:
    """The names of the public posts, shares and comments of a site by id."""

    names: dict[int, str] = field(default_factory=dict)

    @property
    def ids(self) -> dict[str, int]:
        return {name: content_id for content_id, name in self.names.items()}

    def add(self, name: str, id: int) -> int:
        self.names[id] = name
        return id

    def symbolic(self, text: str) -> str:
        """Replace ids of public posts by names, and remove times."""

        def name_of(match: re.Match[str]) -> str:
            number = int(match[0])
            for offset in (0, 1, -1):  # a cursor may be the number next to an id
                if number - offset in self.names:
                    return f"{self.names[number - offset]}{offset or ''}"
            return match[0]

        return re.sub(r"\d{15,19}", name_of, TIMES_AND_SIGNATURES.sub("", text))


def hidden_actions(people: Cast, *, post: int, comment: int) -> Iterator[Callable[[], object]]:
    """Yield actions that strangers cannot see. ``comment`` is a public comment on the post."""
    bob, erin, dave = people.bob, people.erin, people.dave

    def limited(visibility: str, parent: int = 0, actor: User = bob) -> int:
        text = "@erin psst" if visibility == "direct" else "only for friends"
        return add_comment(
            post_id=post, actor=actor, text=text, parent_id=parent, visibility=visibility
        )

    def discuss_and_delete() -> None:
        root = limited("direct")
        add_comment(post_id=post, actor=erin, text="yes?", parent_id=root)
        edit_comment(post_id=post, comment_id=root, actor=bob, text="@erin psst!")
        like_comment(post_id=post, comment_id=root, actor=erin)
        delete_comment(post_id=post, comment_id=root, actor=bob)

    def publish_edit_and_delete(visibility: str) -> None:
        text = "@erin secret #tea" if visibility == "direct" else "secret #tea"
        secret = publish(bob, text, visibility)
        edit_post(post_id=secret, actor=bob, text=f"{text} #mint")
        like_post(post_id=secret, actor=erin)
        add_comment(post_id=secret, actor=erin, text="a comment")
        publish(bob, text, visibility)
        delete_post(post_id=secret, actor=bob)

    for visibility in ("direct", "followers"):
        yield lambda visibility=visibility: limited(visibility)
        yield lambda visibility=visibility: limited(visibility, comment)
        yield lambda visibility=visibility: publish_edit_and_delete(visibility)
    yield discuss_and_delete
    yield lambda: hide_comment(post_id=post, comment_id=limited("direct"))
    yield lambda: quote(post, bob, "For friends", visibility="followers")
    yield lambda: quote(post, bob, "@alice a secret", visibility="direct")
    yield lambda: delete_post(
        post_id=quote(post, bob, "For friends", visibility="followers"), actor=bob
    )
    yield lambda: set_post_hidden(post_id=quote(post, bob, "No good"), state="removed")
    yield lambda: quote(post, dave, "From a private account")
    yield lambda: share_post(post_id=post, actor=dave)
    yield lambda: publish(dave, "From a private account #tea")
    yield lambda: set_post_hidden(post_id=publish(bob, "No good #tea"), state="removed")
    yield lambda: draft_of(bob, "Later #tea", quoted_id=post)
    yield lambda: schedule(bob, "Later #tea")
    yield lambda: bookmark_post(post_id=post, actor=bob)
    yield lambda: block_user(owner=bob.pk, other=people.gus.pk)
    yield lambda: mute_user(owner=bob.pk, other=people.alice.pk, until=None)
    yield lambda: follow(bob, dave)


def actions_of_unseen(user: User, *, post: int, comment: int, round_number: int) -> None:
    """Let a user, whom strangers do not see, do in public all that is counted. Undo some of it."""
    greeting = add_comment(post_id=post, actor=user, text="Hello")
    edit_comment(post_id=post, comment_id=greeting, actor=user, text="Hello again")
    like_comment(post_id=post, comment_id=greeting, actor=user)
    add_comment(post_id=post, actor=user, text="To myself", parent_id=greeting)
    replied = add_comment(post_id=post, actor=user, text="Well", parent_id=comment)
    quoting = quote(post, user, f"A quote by {user.username}")
    if round_number % 2:
        delete_comment(post_id=post, comment_id=replied, actor=user)
        delete_post(post_id=quoting, actor=user)
        unlike_post(post_id=post, actor=user)
        unlike_comment(post_id=post, comment_id=comment, actor=user)
        unshare_post(post_id=post, actor=user)
    if round_number % 2 == 0 or round_number > 4:
        like_post(post_id=post, actor=user)
        like_comment(post_id=post, comment_id=comment, actor=user)
        share_post(post_id=post, actor=user)
    if round_number > 4:
        vote(post, user, 0)


def play(people: Cast, *, with_hidden: bool = False, unseen: Sequence[User] = ()) -> Played:
    """Publish posts and comments. With hidden actions, perform some of them after each public one."""
    played, rounds = Played(), itertools.count()

    def hide(post: int, comment: int) -> None:
        round_number = next(rounds)
        actions = hidden_actions(people, post=post, comment=comment)
        for action in actions if with_hidden else ():
            action()
        for user in unseen:
            actions_of_unseen(user, post=post, comment=comment, round_number=round_number)

    alice, fay, frank = people.alice, people.fay, people.frank
    first = played.add("first", publish(alice, "A cup of #tea?"))
    root = played.add("root", add_comment(post_id=first, actor=fay, text="Yes, please"))
    for n in range(4):
        hide(first, root)
        for parent in (0, root):
            comment = add_comment(post_id=first, actor=frank, text=f"{n}", parent_id=parent)
            played.add(f"comment {n} on {'root' if parent else 'first'}", comment)
        played.add(f"quote {n}", quote(first, fay, f"A quote {n}"))
        played.add(f"tea {n}", publish(alice, f"More #tea {n}"))
        liker = (alice, fay, frank, people.erin)[n]
        like_post(post_id=first, actor=liker)
    hide(first, root)
    for actor in (alice, frank, fay):
        played.add(f"share by {actor.username}", share_post(post_id=first, actor=actor))
    poll = played.add("poll", publish_poll(alice))
    vote(poll, frank, 0)
    hide(poll, played.add("on the poll", add_comment(post_id=poll, actor=fay, text="Hm")))
    return played


def make_unseen(people: Cast) -> None:
    suspend_user(uid=people.hal.pk)
    set_limited(uid=people.ivy.pk, is_limited=True)


def starting_paths(people: Cast, played: Played) -> list[str]:
    ids = played.ids
    paths = [*PAGES, "/tags/tea/", "/tags/tea/feed/", "/search/?q=tea", "/search/?q=secret"]
    paths += ["/search/?q=%23tea&type=posts", "/search/completions/?q=%23t"]
    for user in (people.alice, people.bob, people.dave, people.frank):
        at = f"/@{user.username}/"
        paths += [at, *(f"{at}{tab}/" for tab in ("feed", "comments", "pictures", "reviews"))]
        paths += [f"{at}followers/", f"{at}following/"]
    first = f"/@alice/{ids['first']}/"
    paths += [first, f"{first}?end", f"/@alice/{ids['poll']}/", f"{first}comments/{ids['root']}/"]
    paths += [f"{first}{name}/" for name in ("likes", "quotes", "history")]
    comment_ids = [comment_id for name, comment_id in ids.items() if name.startswith("comment")]
    paths += [f"/posts/{ids['first']}/comments/{comment_id}/" for comment_id in comment_ids]
    return paths


def starting_endpoints(people: Cast, played: Played) -> list[str]:
    ids = played.ids
    paths = [
        "timelines/public?limit=3",
        "timelines/tag/tea?limit=3",
        "trends/statuses",
        "trends/tags",
    ]
    for user in (people.alice, people.bob, people.dave, people.frank):
        account = f"accounts/{user.pk}"
        paths += [account, f"{account}/statuses?limit=9", f"{account}/featured_tags"]
    for name in ("first", "poll", "root"):
        status = f"statuses/{ids[name]}"
        paths += [status, f"{status}/context"]
        paths += [
            f"{status}/{part}?limit=2" for part in ("favourited_by", "reblogged_by", "quotes")
        ]
    return [
        *paths,
        "directory?limit=9",
        "/api/v2/search?q=tea",
        "/api/v2/search?q=%23tea",
    ]


OWN_ENDPOINTS = ("timelines/home?limit=3", "notifications", "conversations", "suggestions")


def observe(people: Cast, played: Played) -> dict[tuple[str, str], tuple[int, str]]:
    """Return (status, text) of all pages and endpoints by (viewer, path), with ids as names."""
    observed: dict[tuple[str, str], tuple[int, str]] = {}
    for viewer in (None, people.carol):
        name = viewer.username if viewer else "visitor"
        client, api = Client(), Api(viewer)
        if viewer is not None:
            client.force_login(viewer)
        client.get("/")  # the first page of a session differs from its later pages
        paths = starting_paths(people, played)
        endpoints = starting_endpoints(people, played)
        if viewer is not None:
            paths.append(f"/lists/{people.list_id}/")
            endpoints += [*OWN_ENDPOINTS, f"timelines/list/{people.list_id}?limit=3"]
        for path in paths:
            _follow_pages(client, path, name, played, observed)
        for path in endpoints:
            _follow_links(api, path, name, played, observed)
    return observed


def _follow_pages(client, path, viewer, played, observed):
    waiting, known = [path], {path}
    while waiting and len(known) < MAX_PAGES[viewer] * 2:
        answer = client.get(waiting[0])
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        text = VOLATILE.sub("", content.decode()) + answer.get("Location", "")
        where = (viewer, played.symbolic(waiting.pop(0)))
        observed[where] = (answer.status_code, played.symbolic(text))
        further = [urljoin(path, target.replace("&amp;", "&")) for target in LINKS.findall(text)]
        waiting += [target for target in further if target not in known]
        known |= set(further)


def _follow_links(api, path, viewer, played, observed):
    for rel in ("next", "prev"):
        at: str | None = path
        for _ in range(MAX_PAGES[viewer]):
            answer = api.get(at)
            text = json.dumps(answer.json(), indent=1) if answer.content else ""
            links = f"{link(answer, 'next')} {link(answer, 'prev')}"
            where = (viewer, played.symbolic(at))
            observed[where] = (answer.status_code, played.symbolic(f"{text}\n{links}"))
            at = link(answer, rel)
            if at is None:
                break
            at = f"{urlsplit(at).path}?{urlsplit(at).query}"


@pytest.mark.parametrize("are_unseen_before", [True, False])
def test_hidden_actions_change_nothing_that_strangers_observe(
    are_unseen_before, settings, monkeypatch, clean_site
):
    settings.FEED_PAGE_SIZE = 3
    monkeypatch.setattr(selectors_comments, "PAGE_SIZE", 2)
    people = cast.restore()
    played = play(people)
    make_unseen(people)
    before = observe(people, played)
    cast.undo_changes()
    if are_unseen_before:
        make_unseen(people)
        people.ivy.refresh_from_db()
        played = play(people, with_hidden=True, unseen=[people.ivy])
    else:
        played = play(people, unseen=[people.hal, people.ivy])
        make_unseen(people)
    correct_numbers()
    assert recount.miscounted_posts(ids=list(played.names)) == []
    assert recount.miscounted_comments(ids=list(played.names)) == []
    after = observe(people, played)
    assert len(before) > 150
    changed = differences(
        {where: before.get(where, (0, "")) for where in before | after},
        {where: after.get(where, (0, "")) for where in before | after},
    )
    report = {" ".join(where): lines[:12] for where, lines in changed.items()}
    assert not changed, json.dumps(report, indent=1)
