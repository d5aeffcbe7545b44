"""Notifications about events that sent no signals, such as the generated events of the demo."""

from accounts.infra.cursors import PageBounds
from accounts.selectors.user_pages import followers_page
from feed.selectors.post_pages import profile_page

from .delivery import notify

MAX_POSTS = 10
"""Number of the user's newest posts whose newest likes and comments are examined."""


def catch_up(*, recipient: int) -> None:
    """Notify a user of recent follows, likes and comments. Safe to repeat."""
    newest_followers = followers_page(uid=recipient, viewer=recipient).rows[:3]
    for follower in reversed(newest_followers):
        notify(kind="follow", actor=follower.card.uid, recipients=[recipient])
    page = profile_page(author=recipient, viewer=recipient, bounds=PageBounds(limit=MAX_POSTS))
    for post in reversed([post for post in page.posts if post.shared_by is None]):
        for card in reversed(post.newest_likers):
            notify(kind="like", actor=card.uid, recipients=[recipient], post=post.id)
        for comment in post.newest_comments:
            uid = comment.by.uid
            notify(
                kind="comment", actor=uid, recipients=[recipient], post=post.id, comment=comment.id
            )
