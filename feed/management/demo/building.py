"""Writes a plan to the database, in steps that may stop anywhere and be run again.

Each step leaves alone what is there, and tells how much it has done by yielding numbers. The engine
itself fills the inboxes: most posts are there when somebody first looks at their timeline, and are
found by that; the newest are then delivered. To deliver all of them takes twice as long in the end.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from accounts import selectors, services
from accounts.management.batches import batches
from accounts.models import User
from feed import attributes, strategies
from feed.models import Post
from feed.services import count_tags
from feed.store import bulk
from feed.store.comments import NewComment

from .people import FIXED, Persona
from .plan import Plan, PlannedPost

PASSWORD = "socialsite-demo"  # noqa: S105 - everybody shall know it
ADMINISTRATOR = "admin"
PEOPLE_AT_ONCE = 500
FOLLOWS_AT_ONCE = 2000
POSTS_AT_ONCE = 500
JOINED_EVERY = timedelta(hours=7)


def sign_up(plan: Plan, uids: list[int]) -> Iterator[int]:
    """People with one password hash for all; their ids are appended to ``uids``."""
    password, newest = make_password(PASSWORD), timezone.now() - timedelta(days=31)
    first = newest - JOINED_EVERY * len(plan.people)
    for start in range(0, len(plan.people), PEOPLE_AT_ONCE):
        part = plan.people[start : start + PEOPLE_AT_ONCE]
        users = [_user(one, password) for one in part]
        for position, user in enumerate(users, start):
            user.date_joined = first + JOINED_EVERY * position
        made = services.add_people(people=users)
        uids += [made[one.username] for one in part]
        yield len(part)
    for user in User.objects.filter(username__in=[one.username for one in FIXED]):
        EmailAddress.objects.get_or_create(
            user=user, email=user.email, defaults={"verified": True, "primary": True}
        )


def _user(persona: Persona, password: str) -> User:
    moderates = persona.username == ADMINISTRATOR
    return User(
        username=persona.username,
        email=f"{persona.username}@example.org",
        password=password,
        display_name=persona.display_name,
        bio=persona.bio,
        is_staff=moderates,
        is_superuser=moderates,
    )


def follow(plan: Plan, uids: Sequence[int]) -> Iterator[int]:
    for followers in batches(followers=plan.followers, uids=uids, size=FOLLOWS_AT_ONCE):
        services.add_followers(followers=followers)
        yield sum(map(len, followers.values()))
    services.announce_added_followers()


def open_inboxes(uids: Sequence[int]) -> Iterator[int]:
    """Everybody looks at their timeline."""
    for uid in uids:
        strategies.current().entries(reader=uid)
        yield 1


def publish(posts: Sequence[PlannedPost], uids: Sequence[int]) -> Iterator[int]:
    """Insert the posts, oldest first, and bring each to its author's audience."""
    audiences: dict[int, list[list[int]]] = {}
    for start in range(0, len(posts), POSTS_AT_ONCE):
        part = posts[start : start + POSTS_AT_ONCE]
        for post in part:
            if post.author not in audiences:
                audiences[post.author] = _audience(uids[post.author])
        _insert(part, uids, audiences)
        ids = [post.id for post in part]
        pending = bulk.pending_among(ids=ids)
        # Who opens an inbox after this finds the posts in it: delivering to them does nothing.
        warm = strategies.warm_among(readers=list(uids))
        for post in part:
            if post.id in pending:
                for bucket in audiences[post.author]:
                    if readers := [uid for uid in bucket if uid in warm]:
                        strategies.deliver(activity=post.id, readers=readers)
            yield 1
        bulk.finish_deliveries(ids=ids, at=timezone.now())


def _audience(author: int) -> list[list[int]]:
    """The author's audience in buckets, the author with the first."""
    first, *others = [one.uids for one in selectors.audience_buckets(uid=author)] or [[]]
    return [[author, *first], *others]


def _insert(
    part: Sequence[PlannedPost], uids: Sequence[int], audiences: dict[int, list[list[int]]]
) -> None:
    ids = [post.id for post in part]
    there = set(Post.objects.filter(pk__in=ids).values_list("pk", flat=True))
    new = [post for post in part if post.id not in there]
    names = {name for post in new for name in attributes.names_in(text=post.text)}
    known = attributes.uids_of(names=sorted(names))
    about = {post.id: attributes.entities_of(text=post.text, known=known) for post in new}
    talks = {post.id: _talk(post, uids) for post in new}
    # First what stands beside the posts: where this stops, the posts are not there, and it begins again.
    bulk.put_talks(talks=talks)
    made = Post.objects.bulk_create(
        Post(
            pk=post.id,
            author_id=uids[post.author],
            text=post.text,
            entities=about[post.id],
            created_at=post.at,
            delivery_people=sum(map(len, audiences[post.author])) - 1,
            **talks[post.id].told(),
        )
        for post in new
    )
    a_day_ago = timezone.now() - timedelta(days=1)
    bulk.name_tags(newest={tag: post.pk for post in made for tag in _tags(post)})
    for post in made:
        if post.created_at > a_day_ago and _tags(post):
            count_tags(
                post_id=post.pk, post=post, before=[], after=post.entities, at=post.created_at
            )


def _tags(post: Post) -> list[str]:
    return [one["value"] for one in post.entities if one["kind"] == "hashtag"]


def _talk(post: PlannedPost, uids: Sequence[int]) -> bulk.Talk:
    said = post.talk.comments
    return bulk.Talk(
        likers=[uids[one] for one in post.talk.likers],
        comments=[
            (
                one.id,
                NewComment(
                    post=post.id,
                    uid=uids[one.author],
                    text=one.text,
                    thread=said[one.answers].id if one.answers >= 0 else 0,
                    parent=said[one.answers].id if one.answers >= 0 else 0,
                ),
            )
            for one in said
        ],
    )
