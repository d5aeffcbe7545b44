"""Count views of posts. ``feed.stats`` drops repeated views by the same viewer."""

from collections.abc import Iterable, Sequence

from django.conf import settings
from django.core.signing import Signer
from django.utils import timezone

from accounts.infra.viewer_keys import user_key
from feed import stats
from feed.selectors.post_view import PostView
from feed.stats import Metric, UniqueEvent

SALT = "feed.view_counts"
MAX_TOKEN_DAYS = 1


def count_views(*, post_ids: Iterable[int], viewer_key: str) -> None:
    """Count a view of each post, at most once an hour per viewer. Costs no database command.

    Args:
        post_ids: posts that are visible to the viewer. Callers check the visibility.
        viewer_key: a key from ``accounts.infra.viewer_keys``. With "", nothing is counted.
    """
    if settings.COUNT_VIEWS and viewer_key:
        for post_id in post_ids:
            stats.count_unique(event=UniqueEvent(viewer_key, post_id, Metric.VIEWS))


def sign_shown_posts(*, viewer: int | None, posts: Sequence[PostView]) -> str:
    """Return a token which says that a page showed these posts to this user, "" if nothing is counted.

    It changes once a day, so that a page which is rendered again has the same HTML.
    """
    if not (settings.COUNT_VIEWS and viewer and posts):
        return ""
    shown = [_today(), viewer, *(post.id for post in posts)]
    return Signer(salt=SALT).sign_object(shown, compress=True)


def count_shown_posts(*, tokens: Iterable[str], post_ids: Iterable[int]) -> None:
    """Count views of those posts that the pages of the tokens showed. Costs no database command.

    The pages have already checked that the user may see them. Views of pages older than ``MAX_TOKEN_DAYS``
    do not count.

    Raises:
        BadSignature: a token is not by this site. Then no view is counted.
    """
    signer = Signer(salt=SALT)
    for day, viewer, *shown in [signer.unsign_object(token) for token in tokens]:
        if _today() - day <= MAX_TOKEN_DAYS:
            count_views(post_ids=set(shown) & set(post_ids), viewer_key=user_key(uid=viewer))


def _today() -> int:
    return timezone.now().toordinal()
