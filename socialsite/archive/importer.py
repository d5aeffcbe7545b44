"""Imports an archive: posts, follows, bookmarks, lists, hashtags, the profile, drafts and private notes.

The whole archive is checked before anything is written (``contents``). A resumed import continues at the
saved step. If a chunk is repeated, no post is created twice, because the id of a post is derived from its
address in the archive (``placement``). An import runs in slices, and other slow jobs run in between.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from django.core.files.storage import default_storage
from django.http import Http404
from django.utils.translation import gettext as _

from accounts.models import User
from feed import attributes
from feed.models import Post
from feed.post_content import written_fields
from feed.selectors.visible_posts import visible_post
from feed.services.interactions import bookmark_post
from feed.services.publication import import_posts
from feed.services.spam_checks import check_imported_posts, report_large_import
from feed.store.post_rows import new_quote

from . import jobs, people, placement
from .contents import Contents, check_archive, read_drafts, read_private_notes
from .drafts import Draft
from .jobs import Progress
from .media import Decoding, ImportJob, Paused, store_files
from .models import Archive
from .saved_drafts import SavedDraft, import_draft, is_known
from .source import BadArchive, open_source

LARGE_IMPORT_SIZE = 100
"""An import with this many posts into a new account opens a case about the account."""


CHUNK_SIZE = 50
SLICE_SECONDS, SLICE_PIXELS = 20.0, 300_000_000
"""After this time, or after decoding so many pixels, an import lets other slow jobs run."""

SaveProgress = Callable[[int, Counter[str]], None]
"""Saves the number of finished steps, and the number of results by kind, such as "posts" or "polls"."""


ImportChunk = Callable[[Sequence[Any], ImportJob], Counter[str]]
"""Imports up to ``CHUNK_SIZE`` values and returns the number of results by kind."""


def import_stored_archive(*, archive: Archive, owner: User, progress: Progress) -> None:
    """Import the uploaded file of ``archive``, or a slice of it.

    Raises BadArchive and ClaimLost, and Paused if the import is not finished.
    """
    started = time.monotonic()
    try:
        file = default_storage.open(jobs.archive_path(name=archive.file))
    except FileNotFoundError:
        raise BadArchive(_("The uploaded file is no longer available. Upload it again.")) from None
    with file, open_source(file=file) as source:
        decoding = Decoding(archive.decoded_pixels, archive.decoding_seconds)
        job = ImportJob(
            source, owner, archive.created_at, archive.pk, progress.advance, decoding=decoding
        )
        contents = check_archive(
            source=source,
            owner=owner,
            before=job.before,
            heartbeat=job.heartbeat,
            should_read_posts=archive.total is None,
        )
        if archive.total is None:
            progress.start(total=contents.total, counts=contents.skipped)
        else:
            contents = replace(contents, item_count=archive.total - contents.total)
        pixels_before, first_chunk_seconds = decoding.pixels, 0.0

        def save_progress(done: int, counts: Counter[str]) -> None:
            nonlocal first_chunk_seconds
            progress.checkpoint(
                done=done,
                counts=counts,
                decoded_pixels=decoding.pixels,
                decoding_seconds=decoding.seconds,
            )
            elapsed = time.monotonic() - started
            # Finding the place in a large archive takes long, so a slice takes at least twice as long.
            first_chunk_seconds = first_chunk_seconds or elapsed
            is_over = (
                elapsed > max(SLICE_SECONDS, 2 * first_chunk_seconds)
                or decoding.pixels - pixels_before >= SLICE_PIXELS
            )
            if is_over and done < contents.total:
                raise Paused

        import_contents(
            job=job,
            contents=contents,
            steps_done=archive.done_count,
            counts=Counter(archive.counts),
            save_progress=save_progress,
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
    """Import checked contents in chunks, skipping the first ``steps_done`` steps.

    To save memory, ``check_archive`` keeps neither drafts nor notes, so they are read a second time.
    ``counts`` are the results of the skipped steps, to which further results are added. Raises BadArchive
    if the owner's account was closed during the import.
    """
    job = replace(job, is_large=contents.item_count >= LARGE_IMPORT_SIZE)
    if job.is_large and not steps_done:
        report_large_import(author=job.owner.pk)
    drafts = read_drafts(source=job.source, owner=job.owner, before=job.before)
    notes = read_private_notes(source=job.source)
    phases: tuple[tuple[int, Iterable[Any], ImportChunk], ...] = (
        (contents.item_count, drafts, _import_posts),
        *((len(values), values, PHASES[name]) for name, values in contents.values.items()),
        (contents.note_count, notes, people.import_notes),
    )
    done, end = steps_done, 0
    for count, values, import_chunk in phases:
        start, end = end, end + count
        if done >= end:
            continue
        remaining_values = islice(values, done - start, None)
        while chunk := _next_chunk(remaining_values):
            if not User.objects.filter(pk=job.owner.pk, is_active=True).exists():
                raise BadArchive(
                    _(
                        "The import stopped because your account was not active. "
                        "Upload the archive again."
                    )
                )
            counts += import_chunk(chunk, job)
            done += len(chunk)
            save_progress(done, counts)


def _next_chunk(values: Iterator[Any]) -> list[Any]:
    """Return up to ``CHUNK_SIZE`` values. Only the last one has files, because files take long."""
    chunk = []
    for value in islice(values, CHUNK_SIZE):
        chunk.append(value)
        if getattr(value, "pictures", ()):
            break
    return chunk


def _import_posts(chunk: Sequence[Draft | str], job: ImportJob) -> Counter[str]:
    counts: Counter[str] = Counter(reason for reason in chunk if isinstance(reason, str))
    drafts = [draft for draft in chunk if isinstance(draft, Draft)]
    new_drafts, existing = placement.place_drafts(
        drafts=drafts, author_id=job.owner.pk, import_id=job.import_id
    )
    counts += existing
    usernames = {
        username
        for _, draft in new_drafts
        for username in attributes.usernames_in(text=draft.content.text)
    }
    known_uids = attributes.uids_by_username(usernames=list(usernames))
    quoted = placement.quoted_ids(new_drafts=new_drafts, owner_id=job.owner.pk)
    posts: list[Post] = []
    picture_ids_by_post: dict[int, list[int]] = {}
    for post_id, draft in new_drafts:
        stored, skipped = store_files(files=draft.pictures, job=job)
        counts += skipped
        if not (stored or draft.content.text or draft.content.details):
            counts["empty_posts"] += 1
            continue
        if stored:
            picture_ids_by_post[post_id] = stored
        counts += Counter(
            posts=1,
            pictures=len(stored),
            other_attachments=draft.other_file_count,
            truncated=int(draft.is_truncated),
        )
        posts.append(_build_post(post_id, draft, job, known_uids, quoted.get(post_id)))
    import_posts(posts=posts, picture_ids_by_post=picture_ids_by_post)
    check_imported_posts(posts=posts, author=job.owner.pk, is_large_import=job.is_large)
    return counts


def _build_post(
    post_id: int, draft: Draft, job: ImportJob, known_uids: dict[str, int], quoted_id: int | None
) -> Post:
    content = draft.content
    if quoted_id:
        content = replace(content, text=placement.text_without_link(text=content.text))
    details, audience = dict(content.details), content.audience
    is_private = job.owner.is_private or job.owner.is_limited
    quote = [new_quote(quoted_id=quoted_id, is_private=is_private)] if quoted_id else []
    return Post(
        pk=post_id,
        author_id=job.owner.pk,
        kind=content.kind,
        details=details,
        **written_fields(content),
        is_sensitive=draft.is_sensitive,
        visibility=audience.visibility,
        reply_policy=audience.reply_policy,
        quote_policy=audience.quote_policy or job.owner.quote_policy,
        created_at=draft.created_at,
        attributes=quote
        + attributes.post_attributes(
            text=content.text,
            kind=content.kind,
            details=details,
            language=content.language,
            known_uids=known_uids,
        ),
        origin=placement.import_origin(
            draft=draft, author_id=job.owner.pk, import_id=job.import_id
        ),
    )


def _bookmark_posts(post_ids: Sequence[int], job: ImportJob) -> Counter[str]:
    counts: Counter[str] = Counter()
    for post_id in post_ids:
        job.heartbeat()
        try:
            post = visible_post(post_id=post_id, viewer=job.owner.pk, with_interactions=False)
            bookmark_post(post=post, actor=job.owner)
        except Http404:
            counts["bookmarks_not_here"] += 1
        else:
            counts["bookmarked"] += 1
    return counts


def _save_drafts(saved_drafts: Sequence[SavedDraft], job: ImportJob) -> Counter[str]:
    counts: Counter[str] = Counter()
    owner_id = job.owner.pk
    for draft in saved_drafts:
        job.heartbeat()
        if is_known(draft=draft, owner_id=owner_id):
            counts["existing_drafts"] += 1
            continue
        picture_ids, skipped = store_files(files=draft.pictures, job=job)
        counts += skipped
        is_saved = import_draft(draft=draft, owner_id=owner_id, picture_ids=picture_ids)
        counts["drafts" if is_saved else "too_many_drafts"] += 1
    return counts


PHASES: dict[str, ImportChunk] = {
    "follows": people.follow_archived_users,
    "bookmarks": _bookmark_posts,
    "list_members": people.import_list_members,
    "featured_tags": people.import_featured_tags,
    "featured_people": people.feature_archived_people,
    "profile": people.import_profile,
    "drafts": _save_drafts,
}
"""Functions that import ``Contents.values``, in the order of an import between posts and notes."""
