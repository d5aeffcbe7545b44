"""Write a plan to the database, in steps that can be interrupted and repeated.

Each step skips existing documents and yields numbers of processed documents, for the progress bar. The
command publishes most posts, then builds the inboxes from these posts, and then delivers the newest posts.
Delivering all posts would take twice as long.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from accounts.infra.ids import time_of
from accounts.models import User
from accounts.selectors.follow_graph import audience_buckets, followees_after
from accounts.services.follow_settings import set_subscription
from accounts.services.imports import announce_imported_followers, import_followers, import_users
from feed import attributes
from feed.models import Picture, Post
from feed.services.pictures import media_entry
from feed.services.tags import feature_tag, follow_tag, update_tag_usage
from feed.store import bulk
from feed.store.comment_rows import NewComment
from feed.store.post_rows import QUOTE
from feed.store.revisions import Revision
from feed.store.shares import Share
from feed.text.hashtags import hashtags_in
from feed.timeline import strategies
from socialsite.moderation.services.recommendations import recommend_users

from .clips import store_clip
from .follows import follow_batches
from .handwritten import initial_link_card
from .personas import ALICE, FIXED_PERSONAS, Persona
from .picture_pool import PicturePool, save_avatar, save_header
from .plan import Plan
from .planned_posts import DemoSpec, PlannedPost, planned_id

PASSWORD = "socialsite-demo"  # noqa: S105 - public on purpose
ADMIN_USERNAME = "admin"
USER_BATCH_SIZE = 500
FOLLOW_BATCH_SIZE = 2000
POST_BATCH_SIZE = 500
RECOMMENDED_USERS = 6
VERIFIED_LINK = "https://example.org/alice"
VERIFIED_AT = "2026-01-15T10:00:00+00:00"
"""The verified link of a profile, and since when. The demo does not check it."""


def create_users(plan: Plan, uids: list[int], spec: DemoSpec) -> Iterator[int]:
    """Create the users, who all have the same password hash. Append their uids to ``uids``."""
    password = make_password(PASSWORD)
    for start in range(0, len(plan.personas), USER_BATCH_SIZE):
        part = plan.personas[start : start + USER_BATCH_SIZE]
        names = [persona.username for persona in part]
        existing_uids = dict(User.objects.filter(username__in=names).values_list("username", "pk"))
        existing_uids |= import_users(
            users=[
                _user(persona, planned_id(at=plan.join_times[n], node=spec.node), password)
                for n, persona in enumerate(part, start)
                if persona.username not in existing_uids
            ]
        )
        uids += [existing_uids[name] for name in names]
        yield len(part)
    for user in User.objects.filter(username__in=[persona.username for persona in FIXED_PERSONAS]):
        EmailAddress.objects.get_or_create(
            user=user, email=user.email, defaults={"verified": True, "primary": True}
        )


def _user(persona: Persona, uid: int, password: str) -> User:
    """Return a new user, whose pictures are stored already."""
    moderates = persona.username == ADMIN_USERNAME
    return User(
        pk=uid,
        username=persona.username,
        email=f"{persona.username}@example.org",
        password=password,
        display_name=persona.display_name,
        bio=persona.bio,
        is_staff=moderates,
        is_superuser=moderates,
        avatar=save_avatar(persona=persona, uid=uid),
        header=save_header(persona=persona, uid=uid),
        profile_fields=[
            {"name": name, "value": value}
            | ({"verified_at": VERIFIED_AT} if value == VERIFIED_LINK else {})
            for name, value in persona.profile_fields
        ],
        date_joined=time_of(id=uid),
    )


def create_follows(plan: Plan, uids: Sequence[int]) -> Iterator[int]:
    for followers in follow_batches(followers=plan.followers, uids=uids, size=FOLLOW_BATCH_SIZE):
        import_followers(followers_by_followee=followers)
        yield sum(map(len, followers.values()))
    announce_imported_followers()


def add_interests(plan: Plan, uids: Sequence[int]) -> Iterator[int]:
    """Let fixed users follow and feature the hashtags of their bios, and recommend a few users.

    The suggestions for alice then have several reasons. alice subscribes to the user she follows first.
    """
    for persona, uid in zip(FIXED_PERSONAS, uids, strict=False):
        for hashtag in hashtags_in(persona.bio):
            follow_tag(uid=uid, tag=hashtag.value)
            feature_tag(author=uid, name=hashtag.value)
    for _cursor, followee in followees_after(uid=uids[ALICE], cursor=0, limit=1):
        set_subscription(follower=uids[ALICE], followee=followee, is_on=True)
    # Moderators recommend busy users whom alice would not find through the users she follows.
    post_counts = Counter(post.author for post in plan.posts)
    friends = {user for user, followers in plan.followers.items() if ALICE in followers}
    strangers = [
        user
        for user in range(len(FIXED_PERSONAS), len(uids))
        if user not in friends and plan.personas[user].language == "en"
    ]
    strangers.sort(
        key=lambda user: (
            len(friends.intersection(plan.followers.get(user, ()))),
            -post_counts[user],
        )
    )
    recommend_users(
        moderator=User.objects.get(username=ADMIN_USERNAME),
        uids=[uids[user] for user in strangers[:RECOMMENDED_USERS]],
        is_recommended=True,
    )
    yield 1


def warm_inboxes(uids: Sequence[int]) -> Iterator[int]:
    """Build the inbox of every user."""
    for uid in uids:
        strategies.active_strategy().read_inbox(owner=uid)
        yield 1


def publish_posts(
    posts: Sequence[PlannedPost], uids: Sequence[int], pool: PicturePool
) -> Iterator[int]:
    """Insert the posts, oldest first, and deliver each post to the audience of its author."""
    audiences: dict[int, list[list[int]]] = {}
    for start in range(0, len(posts), POST_BATCH_SIZE):
        part = posts[start : start + POST_BATCH_SIZE]
        for post in part:
            if post.author not in audiences:
                audiences[post.author] = _audience(uids[post.author])
        _insert(part, uids, audiences, pool)
        ids = [post.id for post in part]
        pending = bulk.pending_ids(ids=ids)
        # Deliver only to existing inboxes. An inbox that is built after this query contains the posts
        # anyway.
        warm = strategies.warm_owners(uids=list(uids))
        for post in part:
            if post.id in pending:
                for bucket in audiences[post.author]:
                    if recipients := [uid for uid in bucket if uid in warm]:
                        strategies.deliver(activity=post.id, recipients=recipients)
            yield 1
        bulk.finish_deliveries(ids=ids, at=timezone.now())


def _audience(author: int) -> list[list[int]]:
    """Return the author's audience in buckets. The author is in the first bucket."""
    first, *others = [bucket.uids for bucket in audience_buckets(author=author)] or [[]]
    return [[author, *first], *others]


def _insert(
    part: Sequence[PlannedPost],
    uids: Sequence[int],
    audiences: dict[int, list[list[int]]],
    pool: PicturePool,
) -> None:
    ids = [post.id for post in part]
    existing_ids = set(Post.objects.filter(pk__in=ids).values_list("pk", flat=True))
    new = [post for post in part if post.id not in existing_ids]
    # Write everything else before the posts. If the run stops in between, the posts are missing, so the
    # next run repeats all steps.
    discussions = {post.id: _discussion(post, uids) for post in new}
    bulk.replace_discussions(discussions=discussions)
    bulk.replace_revisions(new_revisions=_revisions(new))
    bulk.replace_votes(
        voters={
            post.id: [[uids[voter] for voter in voters] for voters in post.voters]
            for post in new
            if post.voters
        }
    )
    shares = [
        Share(post.id, uids[post.author], post.share_of)
        for post in new
        if post.share_of is not None
    ]
    bulk.replace_shares(new_shares=shares)
    pictures = _insert_pictures(new, uids, pool)
    about = _attributes(new)
    new_posts = Post.objects.bulk_create(
        Post(
            pk=post.id,
            author_id=uids[post.author],
            kind=post.kind,
            details=post.details,
            text=post.text,
            content_warning=post.content_warning,
            media=[media_entry(picture) for picture in pictures[post.id]],
            link_card=initial_link_card(details=post.details or {}),
            share_of=post.share_of,
            shares=post.share_count,
            quotes=post.quote_count,
            attributes=about[post.id],
            created_at=post.published_at,
            edited_at=post.edited_at,
            delivery_audience_size=sum(map(len, audiences[post.author])) - 1,
            **discussions[post.id].post_counters(),
        )
        for post in new
    )
    a_day_ago = timezone.now() - timedelta(days=1)
    bulk.add_old_tags(newest={tag: post.pk for post in new_posts for tag in _tags(post)})
    for post in new_posts:
        if post.created_at > a_day_ago and _tags(post):
            update_tag_usage(
                post_id=post.pk,
                post=post,
                old_attributes=[],
                new_attributes=post.attributes,
                used_at=post.created_at,
            )


def _insert_pictures(
    posts: Sequence[PlannedPost], uids: Sequence[int], pool: PicturePool
) -> dict[int, list[Picture]]:
    """Store the pictures and clips of the posts. Return them by post."""
    pictures = {post.id: pool.store_pictures(post=post, owner=uids[post.author]) for post in posts}
    records = [picture for post_pictures in pictures.values() for picture in post_pictures]
    if records:
        Picture.objects.filter(pk__in=[picture.pk for picture in records]).delete()
        Picture.objects.bulk_create(records)
    clips = {
        post.id: store_clip(post=post, owner=uids[post.author], seed=pool.seed)
        for post in posts
        if post.clip
    }
    return pictures | clips


def _attributes(posts: Sequence[PlannedPost]) -> dict[int, list[dict[str, Any]]]:
    names = {name for post in posts for name in attributes.usernames_in(text=post.text)}
    known = attributes.uids_by_username(usernames=sorted(names))
    return {
        post.id: [
            *attributes.post_attributes(
                text=post.text, kind=post.kind, details=post.details, known_uids=known
            ),
            *([{"kind": QUOTE, "value": post.quote_of}] if post.quote_of else []),
        ]
        for post in posts
    }


def _revisions(posts: Sequence[PlannedPost]) -> dict[int, Revision]:
    return {
        post.id: Revision(
            post.id,
            post.edited_at,
            text=post.text_before_edit,
            content_warning=post.content_warning,
        )
        for post in posts
        if post.edited_at is not None
    }


def _tags(post: Post) -> list[str]:
    return [attribute["value"] for attribute in post.attributes if attribute["kind"] == "hashtag"]


def _discussion(post: PlannedPost, uids: Sequence[int]) -> bulk.Discussion:
    comments = post.discussion.comments
    return bulk.Discussion(
        likers=[uids[liker] for liker in post.discussion.likers],
        comments=[
            (
                comment.id,
                NewComment(
                    post=post.id,
                    uid=uids[comment.author],
                    text=comment.text,
                    thread_id=comments[comment.parent_index].id if comment.parent_index >= 0 else 0,
                    parent_id=comments[comment.parent_index].id if comment.parent_index >= 0 else 0,
                    visibility=Post.Visibility.DIRECT if comment.recipients else "",
                    recipients=tuple(uids[recipient] for recipient in comment.recipients),
                ),
            )
            for comment in comments
        ],
    )
