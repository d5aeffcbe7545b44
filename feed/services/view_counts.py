"""Count views of posts. ``feed.stats`` drops repeated views by the same viewer."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.core import signing

from accounts.infra.viewer_keys import user_key
from feed import stats
from feed.stats import Metric, UniqueEvent

SALT = "feed.view_counts"
TOKEN_AGE = timedelta(days=1)


def count_views(*, post_ids: Iterable[int], viewer_key: str) -> None:
    """Count a view of each post, at most once an hour per viewer. Costs no database command.

    Args:
        post_ids: posts that are visible to the viewer. Callers check the visibility.
        viewer_key: a key from ``accounts.infra.viewer_keys``. With "", nothing is counted.
    """
    if settings.COUNT_VIEWS and viewer_key:
        for post_id in post_ids:
            stats.count_unique(event=UniqueEvent(viewer_key, post_id, Metric.VIEWS))


def sign_shown_posts(*, viewer: int, post_ids: Iterable[int]) -> str:
    """Return a token which says that a page showed these posts to this user."""
    return signing.dumps([viewer, *post_ids], salt=SALT, compress=True)


def count_shown_posts(*, token: str, post_ids: Iterable[int]) -> None:
    """Count views of those posts that the page of the token showed. Costs no database command.

    The page has already checked that the user may see them. Views of pages older than ``TOKEN_AGE`` do not
    count.

    Raises:
        BadSignature: the token is not by this site.
    """
    try:
        viewer, *shown = signing.loads(token, salt=SALT, max_age=TOKEN_AGE)
    except signing.SignatureExpired:
        return
    count_views(post_ids=set(shown) & set(post_ids), viewer_key=user_key(uid=viewer))
