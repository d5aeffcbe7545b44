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

from accounts.models import User
from accounts.selectors.follow_graph import followees_among
from accounts.services.follows import CannotFollow, follow_user
from feed import attributes, picture_files
from feed.activities import activity_kind
from feed.models import Archive, Post
from feed.picture_files import DecodedUpload
from feed.services.keeping import bookmark_post
from feed.services.publication import import_posts

from . import jobs, placement
from .contents import Contents, check_archive, read_drafts
from .drafts import Draft
from .jobs import Progress
from .source import READ_ERRORS, BadArchive, Source, open_source

CHUNK_SIZE = 50

SaveProgress = Callable[[int, Counter[str]], None]
"""Notes for good how many of all are done, and what became of them."""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """``mark`` tells it from others. ``until``: what was written later is left out. ``beat`` is called now
    and then, and may raise what ends the work."""

    source: Source
    owner: User
    before: datetime
    import_id: int
    heartbeat: Callable[[], None] = lambda: None


def import_stored_archive(*, archive: Archive, owner: User, progress: Progress) -> None:
    """What a record says. Raises BadArchive, and TakenOver."""
    try:
        file = default_storage.open(jobs.archive_path(name=archive.file))
    except FileNotFoundError:
        raise BadArchive(_("The file you sent is not there any more. Send it again.")) from None
    with file, open_source(file=file) as source:
        one = ImportJob(source, owner, archive.created_at, archive.pk, heartbeat=progress.advance)
        found = check_archive(
            source=source, owner=owner, before=one.before, heartbeat=one.heartbeat
        )
        if archive.total is None:
            progress.start(total=found.total, counts=found.skipped)

        def keep(done: int, counts: Counter[str]) -> None:
            progress.checkpoint(done=done, counts=counts)

        import_contents(
            job=one,
            contents=found,
            steps_done=archive.done_count,
            counts=Counter(archive.counts),
            save_progress=keep,
        )
    jobs.finish_archive(archive=archive)


def import_contents(
    *,
    job: ImportJob,
    contents: Contents,
    steps_done: int,
    counts: Counter[str],
    save_progress: SaveProgress,
) -> None:
    """``begin``: so much is done. Raises BadArchive for owners who are gone."""
    done = steps_done
    if done < contents.item_count:
        every = read_drafts(source=job.source, owner=job.owner, before=job.before)
        rest = islice(every, done, None)
        while chunk := list(islice(rest, CHUNK_SIZE)):
            _refuse_gone(job)
            counts += _bring_posts(chunk, job)
            done += len(chunk)
            save_progress(done, counts)
    end = contents.item_count
    steps: tuple[tuple[list[Any], Callable[[list[Any], ImportJob], Counter[str]]], ...] = (
        (contents.usernames, _follow),
        (contents.bookmark_ids, _keep_posts),
    )
    for all_of_them, step in steps:
        start, end = end, end + len(all_of_them)
        while done < end:
            _refuse_gone(job)
            some = all_of_them[done - start : done - start + CHUNK_SIZE]
            counts += step(some, job)
            done += len(some)
            save_progress(done, counts)


def _refuse_gone(one: ImportJob) -> None:
    if not User.objects.filter(pk=one.owner.pk, is_active=True).exists():
        raise BadArchive(_("Your account was closed meanwhile."))


def _bring_posts(chunk: list[Draft | str], one: ImportJob) -> Counter[str]:
    counts: Counter[str] = Counter(reason for reason in chunk if isinstance(reason, str))
    good = [draft for draft in chunk if isinstance(draft, Draft)]
    placed = placement.place_drafts(drafts=good, author_id=one.owner.pk, import_id=one.import_id)
    counts += placed.counts
    names = {
        name for _, draft in placed.new_drafts for name in attributes.usernames_in(text=draft.text)
    }
    known = attributes.uids_by_username(usernames=list(names))
    posts: list[Post] = []
    media: dict[int, list[int]] = {}
    for pk, draft in placed.new_drafts:
        made = list(_made(draft, one))
        counts["bad_pictures"] += len(draft.pictures) - len(made)
        if not (made or draft.text or draft.details):
            counts["empty"] += 1
            continue
        if made:
            media[pk] = _kept(made, one)
        counts += Counter(
            posts=1, pictures=len(made), files=draft.other_file_count, cut=int(draft.is_truncated)
        )
        posts.append(_post(pk, draft, one, known))
    import_posts(posts=posts, picture_ids_by_post=media)
    return counts


def _post(pk: int, draft: Draft, one: ImportJob, known: dict[str, int]) -> Post:
    besides = activity_kind(draft.kind).attributes(draft.details)
    return Post(
        pk=pk,
        author_id=one.owner.pk,
        kind=draft.kind,
        details=draft.details,
        text=draft.text,
        warning=draft.content_warning,
        is_sensitive=draft.is_sensitive,
        visibility=draft.visibility,
        replies=draft.reply_policy,
        created_at=draft.created_at,
        entities=attributes.attributes_of(text=draft.text, known_uids=known) + besides,
        origin=placement.import_origin(import_id=one.import_id, source_key=draft.source_key),
    )


def _made(draft: Draft, one: ImportJob) -> Iterator[tuple[DecodedUpload, str]]:
    for name, alt in draft.pictures:
        one.heartbeat()
        try:
            with one.source.open(name) as upload:
                yield picture_files.decode_upload(upload=upload, should_wait=True), alt
        except (*READ_ERRORS, ValueError):
            continue  # it is counted


def _kept(made: list[tuple[DecodedUpload, str]], one: ImportJob) -> list[int]:
    kept = []
    for each, alt in made:
        picture = picture_files.store_upload(owner=one.owner.pk, upload=each)
        picture.alt = alt
        picture.save(update_fields=["alt"])
        kept.append(picture.pk)
    return kept


def _follow(names: list[str], one: ImportJob) -> Counter[str]:
    me = one.owner.pk
    uids = attributes.uids_by_username(usernames=names)
    before = followees_among(uid=me, uids=uids.values())
    counts = Counter(elsewhere=len(names) - len(uids), followed=len(before))
    for uid in uids.values():
        if uid in before or uid == me:
            continue
        one.heartbeat()
        try:
            is_new = follow_user(follower=me, followee=uid)
        except CannotFollow:
            counts["refused"] += 1
        else:
            counts["follows" if is_new else "requests"] += 1
    return counts


def _keep_posts(ids: list[int], one: ImportJob) -> Counter[str]:
    counts: Counter[str] = Counter()
    for post in ids:
        one.heartbeat()
        try:
            bookmark_post(post_id=post, actor=one.owner)
        except Http404:
            counts["kept_elsewhere"] += 1
        else:
            counts["kept"] += 1
    return counts
