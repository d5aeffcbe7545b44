"""Users and posts for tests, created with the site's own services where possible."""

from collections.abc import Iterable

import factory
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from django.db import connection

from accounts.infra.ids import new_id
from accounts.models import User
from accounts.selectors.follow_graph import audience_buckets, audience_size
from accounts.services.follows import follow_user
from accounts.services.imports import announce_imported_followers, import_followers
from feed import attributes
from feed.models import Post
from feed.store import bulk
from feed.store.collections import posts as stored_posts
from feed.store.comment_rows import NewComment
from feed.timeline import strategies
from tests.actions import publish_post

# One iteration makes log-ins fast. No test depends on the time that guessing a password takes.
PBKDF2PasswordHasher.iterations = 1
PASSWORD = "correct horse battery"
_HASHED = make_password(PASSWORD, hasher="pbkdf2_sha256")


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"person{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = _HASHED


USUAL_USERS = {
    "alice": {"username": "alice", "display_name": "Alice Adams"},
    "bob": {"username": "bob", "display_name": "Bob Brown"},
    "carol": {"username": "carol", "display_name": "Carol Clark"},
    "admin_user": {"username": "root_admin", "is_staff": True, "is_superuser": True},
}
"""Fields of the users that most tests need, by fixture name."""


def usual_user(name: str) -> User:
    """Build the user of this fixture name without saving the user."""
    user: User = UserFactory.build(**USUAL_USERS[name])
    return user


def people(count: int, prefix: str = "p") -> list[User]:
    """Create users named ``prefix`` and a number, with one database command."""
    return User.objects.bulk_create(
        User(username=f"{prefix}{n}", email=f"{prefix}{n}@example.org", password=_HASHED)
        for n in range(count)
    )


def follow(follower: User, *followees: User) -> None:
    for followee in followees:
        follow_user(follower=follower.pk, followee=followee.pk)


def follow_many(followers: Iterable[User], *followees: User) -> None:
    """Create the same follows as ``follow``, but with fewer database commands."""
    uids = [follower.pk for follower in followers]
    import_followers(followers_by_followee={followee.pk: uids for followee in followees})
    announce_imported_followers()


def add_conversation(
    post: int, *, likers: Iterable[User] = (), comments: Iterable[tuple[User, str]] = ()
) -> list[int]:
    """Add likes and comments to a post that has none, with four database commands.

    The function sends no notifications. The likes and comments do not count towards rate limits or trends.

    Args:
        likers: users who like the post, oldest like first.
        comments: (author, text) of top-level comments, oldest first.

    Returns:
        The ids of the comments.
    """
    written = [
        (new_id(), NewComment(post=post, uid=author.pk, text=text)) for author, text in comments
    ]
    talk = bulk.Discussion(likers=[liker.pk for liker in likers], comments=written)
    bulk.replace_discussions(discussions={post: talk})
    stored_posts().update_one({"_id": post}, {"$set": talk.post_counters()})
    return [comment_id for comment_id, _ in written]


def publish(author: User, text: str = "Hello", visibility: str = "public") -> int:
    return publish_post(author=author.pk, text=text, visibility=visibility)


def publish_many(author: User, count: int, tag: str = "") -> list[int]:
    """Publish posts of one author and deliver the posts to the current audience.

    Args:
        count: number of posts.
        tag: a word to append to each text, such as a hashtag.

    Returns:
        The ids of the posts.
    """
    texts = [f"{author.username} writes {n} {tag}".strip() for n in range(count)]
    audience = audience_size(author=author.pk)
    is_pushed = audience.follower_count <= settings.FEED_PUSH_LIMIT
    if not is_pushed or not audience.is_within(max_followers=settings.FEED_INLINE_AUDIENCE_LIMIT):
        return [publish(author, text) for text in texts]
    buckets = audience_buckets(author=author.pk)
    readers = [author.pk, *(uid for bucket in buckets for uid in bucket.uids)]
    posts = Post.objects.bulk_create(
        Post(
            author=author,
            text=text,
            attributes=attributes.attributes_of(text=text),
            delivery_audience_size=audience.follower_count,
            delivery_state=Post.DeliveryState.DONE,
        )
        for text in texts
    )
    for post in posts:
        strategies.deliver(activity=post.pk, recipients=readers)
    return [post.pk for post in posts]


def follow_in_bulk(reader: User, followed: list[User]) -> None:
    """Write the edges and audience buckets of many follows with two database commands."""
    connection.database["follow_edges"].insert_many(
        {"_id": reader.pk + n + 1, "follower": reader.pk, "followee": author.pk, "bucket": 0}
        for n, author in enumerate(followed)
    )
    connection.database["audience_buckets"].insert_many(
        {"author": author.pk, "seq": 10 + reader.pk % 7, "uids": [reader.pk], "n": 1}
        for author in followed
    )
