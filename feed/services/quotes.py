"""Quote posts, revoke quotes, and choose who may quote a post."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from accounts.user_cards import find_card
from feed import signals
from feed.models import Post
from feed.selectors.post_view import PostView
from feed.selectors.visible_posts import visible_post
from feed.store import post_counters, quotes
from feed.store.post_rows import new_quote, quote_attribute

Visibility, QuotePolicy = Post.Visibility, Post.QuotePolicy


class CannotQuote(Refused):
    """The post cannot be quoted. The message is shown to the author of the quote."""


def quotable_post(*, post_id: int, author: int) -> PostView:
    """Return the post that ``author`` wants to quote.

    Raises CannotQuote if the author may not quote or see the post, or if it no longer exists.
    """
    try:
        post = visible_post(post_id=post_id, viewer=author)
    except Http404:
        raise CannotQuote(_("The post that you quote is no longer available.")) from None
    if not post.can_quote:
        raise CannotQuote(_("You cannot quote this post."))
    return post


def quote_in_post(*, post: Post, quoted: PostView) -> None:
    """Make a new post quote ``quoted``, a post that its author may read.

    A quote of the author's own followers-only post becomes followers-only, unless it is direct.
    Raises CannotQuote if the author of the quoted post does not allow the quote.
    """
    if not quoted.can_quote:
        raise CannotQuote(_("You cannot quote this post."))
    if post.visibility == Visibility.DIRECT and quoted.author.uid not in (
        post.author_id,
        *post.recipients,
    ):
        raise CannotQuote(
            _("Mention @%(name)s to quote this post in a message.")
            % {"name": quoted.author.username}
        )
    if quoted.visibility == Visibility.FOLLOWERS and post.visibility != Visibility.DIRECT:
        post.visibility = Visibility.FOLLOWERS
    card = find_card(uid=post.author_id)
    is_private = card is not None and (card.is_private or card.is_limited)
    post.attributes = [*post.attributes, new_quote(quoted_id=quoted.id, is_private=is_private)]


def kept_quote(*, attributes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the quote among the attributes of a post, which an edit does not change."""
    quote = quote_attribute(attributes)
    return [quote] if quote else []


def without_quote(*, attributes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    quote = quote_attribute(attributes)
    return [attribute for attribute in attributes if attribute is not quote]


def count_quote(*, post: Post) -> None:
    """Count the quote in a new post. Call this in the transaction that inserts the post.

    Raises CannotQuote if the quoted post was deleted meanwhile.
    """
    for quote in kept_quote(attributes=post.attributes):
        try:
            change = 0 if _counted_id(post) is None else 1
            post_counters.change_quote_count(post=quote["value"], change=change)
        except LookupError:
            raise CannotQuote(_("The quoted post was deleted.")) from None


def recount_quote(*, post: Post, was_hidden: str) -> None:
    """Count or discount the quote in a post whose ``hidden`` changed. Call this in that transaction."""
    before, after = _counted_id(post, hidden=was_hidden), _counted_id(post)
    if before != after:
        with suppress(LookupError):  # the quoted post is deleted, so there is no counter
            post_counters.change_quote_count(
                post=before or after or 0, change=-1 if after is None else 1
            )


def _counted_id(post: Post, hidden: str | None = None) -> int | None:
    return quotes.counted_id(
        attributes=post.attributes,
        visibility=post.visibility,
        hidden=post.hidden if hidden is None else hidden,
    )


def discount_quote(*, post_id: int) -> None:
    """Subtract the quote in a post. Call this in the transaction that deletes the post."""
    quoted_id = quotes.counted_quote(post=post_id)
    if quoted_id is not None:
        with suppress(LookupError):  # the quoted post is deleted, so there is no counter
            post_counters.change_quote_count(post=quoted_id, change=-1)


def revoke_quote(*, quoted: PostView, quoting_id: int, actor: User) -> None:
    """Revoke a quote of the actor's own post. The rest of the quoting post stays. Safe to repeat.

    Raises Http404 if the actor did not write the quoted post, or if there is no such quote.
    """
    if quoted.author.uid != actor.pk:
        raise Http404("No such quote.")
    if _revoke(quoting_id, quoted.id):
        signals.quote_revoked.send_robust(sender=None, post=quoting_id, quoted_author=actor.pk)


@transactional()
def _revoke(quoting_id: int, quoted_id: int) -> bool:
    """Return False if the quote was revoked before."""
    was_counted = quotes.set_revoked(post=quoting_id, quoted=quoted_id)
    if was_counted is None:
        if quotes.is_revoked(post=quoting_id, quoted=quoted_id):
            return False
        raise Http404("No such quote.")
    if was_counted:
        with suppress(LookupError):  # the quoted post was deleted meanwhile
            post_counters.change_quote_count(post=quoted_id, change=-1)
    return True


def set_quote_policy(*, post: PostView, actor: User, policy: str) -> None:
    """Choose who may quote the actor's own post from now on. Existing quotes stay.

    Raises Http404 if the actor did not write the post.
    """
    if not Post.objects.filter(pk=post.id, author=actor.pk).update(quote_policy=policy):
        raise Http404("No such post.")
