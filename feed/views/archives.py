"""What people take with them, and bring along: archives of everything they have."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.confinement import reachable_when_closed
from accounts.guarding import asked_to_wait
from accounts.limits import TooMany
from accounts.viewer import signed_in
from feed import archive
from feed.archive.bad import BadArchive
from feed.archive.records import KEPT
from feed.forms.archives import ArchiveForm
from feed.models import Archive

BROUGHT = {
    "posts": gettext_lazy("posts"),
    "pictures": gettext_lazy("pictures"),
    "follows": gettext_lazy("people you follow now"),
    "requests": gettext_lazy("people you have asked to follow"),
    "kept": gettext_lazy("bookmarks"),
}
LEFT_OUT = {
    "there": gettext_lazy("posts that were here already"),
    "shares": gettext_lazy("posts of others that you shared"),
    "replies": gettext_lazy("replies to others"),
    "comments": gettext_lazy("comments"),
    "direct": gettext_lazy("posts to single people"),
    "dates": gettext_lazy("posts without a date, or from a time that cannot be"),
    "empty": gettext_lazy("posts with nothing in them that we can show"),
    "polls": gettext_lazy("polls"),
    "others": gettext_lazy("entries that are not posts"),
    "bad_pictures": gettext_lazy("pictures that we cannot read"),
    "files": gettext_lazy("videos, sounds and files that are not in the archive"),
    "followed": gettext_lazy("people you followed already"),
    "elsewhere": gettext_lazy("people who are not here"),
    "refused": gettext_lazy("people whom you cannot follow"),
    "kept_elsewhere": gettext_lazy("bookmarks of posts that are not here"),
}
SHORTENED = {"cut": gettext_lazy("posts that were too long and end with “…” now")}


@reachable_when_closed
@require_safe
@login_required
@never_cache
def archives(request: HttpRequest) -> HttpResponse:
    return _page(request, ArchiveForm())


@reachable_when_closed
@require_POST
@login_required
def export_archive(request: HttpRequest) -> HttpResponse:
    try:
        archive.start_export(owner=signed_in(request))
    except archive.CannotStart as refusal:
        messages.error(request, str(refusal))
    return redirect("archives")


@require_POST
@login_required
def import_archive(request: HttpRequest) -> HttpResponse:
    form = ArchiveForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            archive.start_import(owner=signed_in(request), upload=form.cleaned_data["archive"].file)
        except archive.CannotStart as refusal:
            messages.error(request, str(refusal))
            return redirect("archives")
        except BadArchive as refusal:
            form.add_error("archive", str(refusal))
        except TooMany as refusal:
            form.add_error("archive", str(refusal))
            return asked_to_wait(_page(request, form), refusal)
        else:
            return redirect("archives")
    return _page(request, form, status=422)


@reachable_when_closed
@require_safe
@login_required
@never_cache
def download_archive(request: HttpRequest, archive_id: int) -> HttpResponseBase:
    owner = signed_in(request)
    file = archive.file_of(archive_id=archive_id, owner=owner.pk)
    name = f"{slugify(settings.SITE_NAME) or 'archive'}-{owner.username}-{archive_id}.zip"
    response = FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _page(request: HttpRequest, form: ArchiveForm, status: int = 200) -> HttpResponse:
    owner = signed_in(request).pk
    exported = archive.newest(owner=owner, kind=Archive.Kind.EXPORT)
    imported = archive.newest(owner=owner, kind=Archive.Kind.IMPORT)
    context: dict[str, Any] = {"form": form, "exported": exported, "imported": imported}
    if exported is not None:
        context["kept_until"] = exported.created_at + KEPT
    if imported is not None:
        for name, labels in (
            ("brought", BROUGHT),
            ("left_out", LEFT_OUT),
            ("shortened", SHORTENED),
        ):
            counts = imported.counts
            context[name] = [(counts[key], labels[key]) for key in labels if counts.get(key)]
    return render(request, "feed/archives.html", context, status=status)
