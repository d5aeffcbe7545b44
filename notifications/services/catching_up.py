"""Tell somebody what they missed because it came all at once, as a demo does, and nobody announced it."""

from accounts import selectors as people
from feed import selectors as feed

from .telling import tell

LOOKED_AT = 10
"""Of somebody's posts, the newest, so many are looked at; and of each the newest likes and comments."""


def catch_up(*, reader: int) -> None:
    """Safe to repeat: nobody is told twice."""
    newest = people.followers_page(uid=reader, viewer=reader).people[:3]
    for row in reversed(newest):
        tell(kind="follow", actor=row.card.uid, recipients=[reader])
    page = feed.profile_page(author=reader, viewer=reader, limit=LOOKED_AT)
    for post in reversed([one for one in page.posts if one.shared_by is None]):
        for card in reversed(post.newest_likers):
            tell(kind="like", actor=card.uid, recipients=[reader], post=post.id)
        for said in post.newest_comments:
            uid = said.by.uid
            tell(kind="comment", actor=uid, recipients=[reader], post=post.id, comment=said.id)
