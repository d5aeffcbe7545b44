"""Bring in what is in an archive: first its posts, then whom its owner followed, then what they kept.

All of it is checked before anything is written (``checking``). Then the work goes on from where it stopped,
as the record says; what is done twice is done once, as posts get their ids from where they come
(``placing``).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.core.files.storage import default_storage
from django.http import Http404
from django.utils.translation import gettext as _

from accounts import selectors as people
from accounts import services as accounts
from accounts.models import User
from feed import attributes, pictures, services
from feed.activities import activity
from feed.models import Archive, Post
from feed.pictures import Made

from . import placing, records
from .bad import BadArchive
from .checking import Contents, check, drafts
from .opening import READ_ERRORS, Source, opened
from .reading import Draft
from .records import Progress

CHUNK = 50

Keep = Callable[[int, Counter[str]], None]
"""Notes for good how many of all are done, and what became of them."""


@dataclass(frozen=True, slots=True)
class Import:
    """``mark`` tells it from others. ``until``: what was written later is left out. ``beat`` is called now
    and then, and may raise what ends the work."""

    source: Source
    owner: User
    until: datetime
    mark: int
    beat: Callable[[], None] = lambda: None


def bring_kept(*, archive: Archive, owner: User, progress: Progress) -> None:
    """What a record says. Raises BadArchive, and TakenOver."""
    try:
        file = default_storage.open(records.path(name=archive.file))
    except FileNotFoundError:
        raise BadArchive(_("The file you sent is not there any more. Send it again.")) from None
    with file, opened(file=file) as source:
        one = Import(source, owner, archive.created_at, archive.pk, beat=progress.advance)
        found = check(source=source, owner=owner, until=one.until, beat=one.beat)
        if archive.total is None:
            progress.begin(total=found.total, counts=found.counts)

        def keep(done: int, counts: Counter[str]) -> None:
            progress.keep(done=done, counts=counts)

        bring(one=one, found=found, begin=archive.done, counts=Counter(archive.counts), keep=keep)
    records.finish(archive=archive)


def bring(*, one: Import, found: Contents, begin: int, counts: Counter[str], keep: Keep) -> None:
    """``begin``: so much is done. Raises BadArchive for owners who are gone."""
    done = begin
    if done < found.posts:
        every = drafts(source=one.source, owner=one.owner, until=one.until)
        rest = islice(every, done, None)
        while chunk := list(islice(rest, CHUNK)):
            _refuse_gone(one)
            counts += _bring_posts(chunk, one)
            done += len(chunk)
            keep(done, counts)
    end = found.posts
    steps: tuple[tuple[list[Any], Callable[[list[Any], Import], Counter[str]]], ...] = (
        (found.names, _follow),
        (found.kept, _keep_posts),
    )
    for all_of_them, step in steps:
        start, end = end, end + len(all_of_them)
        while done < end:
            _refuse_gone(one)
            some = all_of_them[done - start : done - start + CHUNK]
            counts += step(some, one)
            done += len(some)
            keep(done, counts)


def _refuse_gone(one: Import) -> None:
    if not User.objects.filter(pk=one.owner.pk, is_active=True).exists():
        raise BadArchive(_("Your account was closed meanwhile."))


def _bring_posts(chunk: list[Draft | str], one: Import) -> Counter[str]:
    counts: Counter[str] = Counter(reason for reason in chunk if isinstance(reason, str))
    good = [draft for draft in chunk if isinstance(draft, Draft)]
    placed = placing.place(drafts=good, owner=one.owner.pk, mark=one.mark)
    counts += placed.counts
    names = {name for _, draft in placed.new for name in attributes.names_in(text=draft.text)}
    known = attributes.uids_of(names=list(names))
    posts: list[Post] = []
    media: dict[int, list[int]] = {}
    for pk, draft in placed.new:
        made = list(_made(draft, one))
        counts["bad_pictures"] += len(draft.pictures) - len(made)
        if not (made or draft.text or draft.details):
            counts["empty"] += 1
            continue
        if made:
            media[pk] = _kept(made, one)
        counts += Counter(posts=1, pictures=len(made), files=draft.files, cut=int(draft.is_cut))
        posts.append(_post(pk, draft, one, known))
    services.bring_in(posts=posts, media=media)
    return counts


def _post(pk: int, draft: Draft, one: Import, known: dict[str, int]) -> Post:
    besides = activity(draft.kind).entities(draft.details)
    return Post(
        pk=pk,
        author_id=one.owner.pk,
        kind=draft.kind,
        details=draft.details,
        text=draft.text,
        warning=draft.warning,
        is_sensitive=draft.is_sensitive,
        visibility=draft.visibility,
        replies=draft.replies,
        created_at=draft.at,
        entities=attributes.entities_of(text=draft.text, known=known) + besides,
        origin=placing.origin(mark=one.mark, source=draft.source),
    )


def _made(draft: Draft, one: Import) -> Iterator[tuple[Made, str]]:
    for name, alt in draft.pictures:
        one.beat()
        try:
            with one.source.open(name) as upload:
                yield pictures.made(upload=upload, is_patient=True), alt
        except (*READ_ERRORS, ValueError):
            continue  # it is counted


def _kept(made: list[tuple[Made, str]], one: Import) -> list[int]:
    kept = []
    for each, alt in made:
        picture = pictures.keep(owner=one.owner.pk, made=each)
        picture.alt = alt
        picture.save(update_fields=["alt"])
        kept.append(picture.pk)
    return kept


def _follow(names: list[str], one: Import) -> Counter[str]:
    me = one.owner.pk
    uids = attributes.uids_of(names=names)
    before = people.followees_among(uid=me, uids=uids.values())
    counts = Counter(elsewhere=len(names) - len(uids), followed=len(before))
    for uid in uids.values():
        if uid in before or uid == me:
            continue
        one.beat()
        try:
            is_new = accounts.follow(follower=me, followee=uid)
        except accounts.CannotFollow:
            counts["refused"] += 1
        else:
            counts["follows" if is_new else "requests"] += 1
    return counts


def _keep_posts(ids: list[int], one: Import) -> Counter[str]:
    counts: Counter[str] = Counter()
    for post in ids:
        one.beat()
        try:
            services.bookmark_post(post_id=post, actor=one.owner)
        except Http404:
            counts["kept_elsewhere"] += 1
        else:
            counts["kept"] += 1
    return counts
