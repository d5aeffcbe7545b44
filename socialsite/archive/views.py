"""Pages and forms to export and import archives of the viewer's data."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.brand.current import current_brand
from accounts.inactive_users import allow_inactive_users
from accounts.infra.refusals import TryLater
from accounts.request_guards import with_retry_after
from accounts.viewer import signed_in_user
from feed.selectors.pictures import storage_of
from feed.task_queue import enqueue

from . import services, tasks
from .forms import ArchiveForm
from .jobs import RETENTION, latest_archive
from .models import Archive
from .services import CannotStart, open_export
from .source import BadArchive

IMPORTED_LABELS = {
    "posts": gettext_lazy("posts"),
    "pictures": gettext_lazy("pictures, videos and audio files"),
    "follows": gettext_lazy("people you now follow"),
    "follow_requests": gettext_lazy("follow requests sent"),
    "bookmarked": gettext_lazy("bookmarks"),
    "list_members": gettext_lazy("people on your lists"),
    "featured_tags": gettext_lazy("featured hashtags"),
    "featured_people": gettext_lazy("featured people"),
    "profile_parts": gettext_lazy("parts of your profile that were empty"),
    "drafts": gettext_lazy("drafts and scheduled posts"),
    "notes": gettext_lazy("private notes about other people"),
}
SKIPPED_LABELS = {
    "existing_posts": gettext_lazy("posts that already exist"),
    "shares": gettext_lazy("posts by others that you shared"),
    "replies": gettext_lazy("replies to others"),
    "comments": gettext_lazy("comments"),
    "direct_posts": gettext_lazy("direct posts"),
    "invalid_dates": gettext_lazy("posts without a valid date"),
    "empty_posts": gettext_lazy("posts without supported content"),
    "not_posts": gettext_lazy("items that are not posts"),
    "unreadable_pictures": gettext_lazy("files in an unsupported format"),
    "no_storage": gettext_lazy("files for which you have no storage left"),
    "too_costly_pictures": gettext_lazy("files beyond what one import may process"),
    "other_attachments": gettext_lazy("files that are missing or not supported here"),
    "already_followed": gettext_lazy("people you already followed"),
    "users_not_here": gettext_lazy("people without an account here"),
    "cannot_follow": gettext_lazy("people you cannot follow"),
    "not_on_lists": gettext_lazy("people on lists whom you do not follow here"),
    "bookmarks_not_here": gettext_lazy("bookmarked posts that are not on this site"),
    "existing_drafts": gettext_lazy("drafts that already exist"),
    "too_many_drafts": gettext_lazy("drafts, because you have too many"),
    "existing_notes": gettext_lazy("private notes about people for whom you have a note here"),
    "skipped_notes": gettext_lazy(
        "private notes that are too long, or about people without an account here"
    ),
}
SHORTENED_LABELS = {"truncated": gettext_lazy("posts that were too long and now end with “…”")}


@allow_inactive_users
@require_safe
@login_required
@never_cache
def show_archives(request: HttpRequest) -> HttpResponse:
    return _page(request, ArchiveForm())


@allow_inactive_users
@require_POST
@login_required
def start_export(request: HttpRequest) -> HttpResponse:
    try:
        archive = services.start_export(owner=signed_in_user(request))
    except CannotStart as refusal:
        messages.error(request, str(refusal))
    else:
        # If this message is lost, ``resume_archives`` sends another one.
        enqueue(tasks.export_archive, archive_id=archive.pk)
    return redirect("data_archives")


@require_POST
@login_required
def start_import(request: HttpRequest) -> HttpResponse:
    form = ArchiveForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            archive = services.start_import(
                owner=signed_in_user(request), upload=form.cleaned_data["archive"].file
            )
        except CannotStart as refusal:
            messages.error(request, str(refusal))
            return redirect("data_archives")
        except BadArchive as refusal:
            form.add_error("archive", str(refusal))
        except TryLater as refusal:
            form.add_error("archive", str(refusal))
            return with_retry_after(_page(request, form), refusal)
        else:
            enqueue(tasks.import_archive, archive_id=archive.pk)
            return redirect("data_archives")
    return _page(request, form, status=422)


@allow_inactive_users
@require_safe
@login_required
@never_cache
def download_archive(request: HttpRequest, archive_id: int) -> HttpResponseBase:
    owner = signed_in_user(request)
    file = open_export(archive_id=archive_id, owner=owner.pk)
    name = f"{slugify(current_brand().name) or 'archive'}-{owner.username}-{archive_id}.zip"
    response = FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _page(request: HttpRequest, form: ArchiveForm, status: int = 200) -> HttpResponse:
    owner = signed_in_user(request).pk
    exported = latest_archive(owner=owner, kind=Archive.Kind.EXPORT)
    imported = latest_archive(owner=owner, kind=Archive.Kind.IMPORT)
    context: dict[str, Any] = {
        "form": form,
        "exported": exported,
        "imported": imported,
        "storage": storage_of(owner=owner),
    }
    if exported is not None:
        context["available_until"] = exported.created_at + RETENTION
    if imported is not None:
        for name, labels in (
            ("imported_counts", IMPORTED_LABELS),
            ("skipped_counts", SKIPPED_LABELS),
            ("shortened_counts", SHORTENED_LABELS),
        ):
            counts = imported.counts
            context[name] = [(counts[key], labels[key]) for key in labels if counts.get(key)]
    return render(request, "archive/archives.html", context, status=status)
