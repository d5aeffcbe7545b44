"""The admins of what administrators write: rules, announcements, standard pages and the brand."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.brand.current import CACHE_SECONDS, brand_from_row, stored_brand
from accounts.brand.models import Brand
from accounts.infra.admin_lists import NewestFirstAdmin
from accounts.request_guards import form_page
from socialsite.markdown import markdown_to_html
from socialsite.moderation.forms import BrandForm, PageForm, initial_values
from socialsite.moderation.models import Announcement, PageVersion, Rule, StandardPage
from socialsite.moderation.selectors import site
from socialsite.moderation.services.brand import CHANGE_BRAND, save_brand
from socialsite.moderation.services.site_texts import (
    CHANGE_PAGES,
    delete_rule,
    save_page,
    save_rule,
)

from .access import ChangeOnlyAdmin, moderator_path, page_context, signed_in_moderator


@admin.register(Rule)
class RuleAdmin(NewestFirstAdmin):
    ordering = ("order", "pk")
    list_display = ("text", "order")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        save_rule(editor=signed_in_moderator(request), rule=obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        delete_rule(editor=signed_in_moderator(request), rule=obj)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for rule in queryset:
            delete_rule(editor=signed_in_moderator(request), rule=rule)


@admin.register(Announcement)
class AnnouncementAdmin(NewestFirstAdmin):
    list_display = ("text", "starts_at", "ends_at")


@admin.register(PageVersion)
class PageVersionAdmin(ChangeOnlyAdmin):
    """Lists pages instead of versions."""

    def get_urls(self) -> list[URLPattern]:
        return [
            moderator_path(route, view, f"moderation_pageversion_{name}", CHANGE_PAGES)
            for route, view, name in (
                ("", page_list, "changelist"),
                ("<slug:page>/", edit_page, "edit"),
                ("<slug:page>/<id:version_id>/", page_version, "version"),
            )
        ]


@require_safe
def page_list(request: HttpRequest) -> HttpResponseBase:
    context = page_context(request, title=_("Standard pages"), page_texts=site.page_texts())
    return render(request, "admin/moderation/standard_pages.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_page(request: HttpRequest, page: str) -> HttpResponseBase:
    """Show the form and the older versions. POST shows a preview (``do=preview``) or saves the text."""
    edited = site.get_page_or_404(page)
    if request.method != "POST":
        text = site.page_text(page=edited).text
        return _edit_form(request, edited, PageForm(initial={"text": text}))
    form = PageForm(request.POST)
    if not form.is_valid():
        return _edit_form(request, edited, form, status=422)
    text = form.cleaned_data["text"]
    if request.POST.get("do") == "preview":
        shown_text = text or site.default_text(page=edited)
        return _edit_form(request, edited, form, preview=_safe_html(shown_text))
    return _save(request, edited, text)


@require_http_methods(["GET", "HEAD", "POST"])
def page_version(request: HttpRequest, page: str, version_id: int) -> HttpResponseBase:
    """Show an older version. POST restores it as the newest version."""
    edited = site.get_page_or_404(page)
    version = get_object_or_404(PageVersion, pk=version_id, page=edited)
    if request.method == "POST":
        return _save(request, edited, version.text)
    text = version.text or site.default_text(page=edited)
    context = page_context(
        request, title=str(edited.label), page=edited, version=version, text_html=_safe_html(text)
    )
    return render(request, "admin/moderation/page_version.html", context)


def _save(request: HttpRequest, page: StandardPage, text: str) -> HttpResponseBase:
    # A text that equals the default stays the default, so that the page changes with the program.
    if text == site.default_text(page=page):
        text = ""
    if save_page(editor=signed_in_moderator(request), page=page, text=text):
        messages.success(request, _("Page saved."))
    else:
        messages.info(request, _("Nothing has changed."))
    return redirect("admin:moderation_pageversion_edit", page.value)


def _edit_form(
    request: HttpRequest,
    page: StandardPage,
    form: PageForm,
    *,
    preview: SafeString | None = None,
    status: int = 200,
) -> HttpResponseBase:
    context = page_context(
        request,
        title=str(page.label),
        page=page,
        form=form,
        preview=preview,
        versions=site.page_versions(page=page),
    )
    return render(request, "admin/moderation/edit_page.html", context, status=status)


def _safe_html(text: str) -> SafeString:
    return mark_safe(markdown_to_html(text=text))  # noqa: S308 - the renderer escapes HTML


@admin.register(Brand)
class BrandAdmin(ChangeOnlyAdmin):
    """One page instead of a list, because there is one brand."""

    def get_urls(self) -> list[URLPattern]:
        return [moderator_path("", change_brand, "moderation_brand_changelist", CHANGE_BRAND)]


@require_http_methods(["GET", "HEAD", "POST"])
def change_brand(request: HttpRequest) -> HttpResponse:
    """Show the form. POST shows a preview (``do=preview``) or saves the brand (``do=save``)."""
    editor = signed_in_moderator(request)
    if request.method != "POST":
        row = stored_brand()
        return _form_page(request, BrandForm(initial=initial_values(row), uid=editor.pk), row.logo)
    form = BrandForm(request.POST, request.FILES, uid=editor.pk)
    if not form.is_valid():
        return _form_page(request, form, form.store_logo())
    values = form.brand_values()
    row = Brand(pk=Brand.ONLY_ID, **values)
    command = request.POST.get("do")
    if command == "preview":
        return _preview(request, row)
    if command == "edit":
        return _form_page(request, BrandForm(initial=initial_values(row), uid=editor.pk), row.logo)
    if save_brand(editor=editor, values=values):
        text = _("Branding saved. All pages show it within %(seconds)d seconds.")
        messages.success(request, text % {"seconds": CACHE_SECONDS})
    else:
        messages.info(request, _("Nothing has changed."))
    return redirect("admin:moderation_brand_changelist")


def _form_page(request: HttpRequest, form: BrandForm, logo: str) -> HttpResponse:
    if not logo:
        del form.fields["remove_logo"]
    logo_url = brand_from_row(Brand(logo=logo)).logo_url
    context = page_context(request, title=_("Branding"), logo_url=logo_url)
    return form_page(request, "admin/moderation/brand.html", form, **context)


def _preview(request: HttpRequest, row: Brand) -> HttpResponse:
    """Show the brand on a page of the site. Its form carries the values, to save or change them."""
    brand = brand_from_row(row)
    context: dict[str, Any] = {
        "brand": brand,
        "site_name": brand.name,
        "values": initial_values(row),
    }
    return render(request, "moderation/brand_preview.html", context)
