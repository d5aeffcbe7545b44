"""Tell somebody what they missed because it came all at once, as a demo does, and nobody announced it."""

from accounts.selectors.user_pages import followers_page
from feed.selectors.lists import profile_page

from .delivery import notify

LOOKED_AT = 10
"""Of somebody's posts, the newest, so many are looked at; and of each the newest likes and comments."""


def catch_up(*, recipient: int) -> None:
    """Safe to repeat: nobody is told twice."""
    newest = followers_page(uid=recipient, viewer=recipient).rows[:3]
    for row in reversed(newest):
        notify(kind="follow", actor=row.card.uid, recipients=[recipient])
    page = profile_page(author=recipient, viewer=recipient, limit=LOOKED_AT)
    for post in reversed([one for one in page.posts if one.shared_by is None]):
        for card in reversed(post.newest_likers):
            notify(kind="like", actor=card.uid, recipients=[recipient], post=post.id)
        for said in post.newest_comments:
            uid = said.by.uid
            notify(kind="comment", actor=uid, recipients=[recipient], post=post.id, comment=said.id)
