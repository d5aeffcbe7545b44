"""The admin page of the brand, with a preview."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.brand.current import CACHE_SECONDS, brand_from_row, stored_brand
from accounts.brand.models import Brand
from accounts.infra.admin_lists import NewestFirstAdmin
from accounts.request_guards import with_retry_after
from socialsite.moderation.forms import BrandForm, initial_values
from socialsite.moderation.services.brand import CHANGE_BRAND, save_brand

from .access import ChangeOnlyMixin, moderator_path, page_context, signed_in_moderator


@admin.register(Brand)
class BrandAdmin(ChangeOnlyMixin, NewestFirstAdmin):
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
        response = _form_page(request, form, form.store_logo(), status=422)
        return with_retry_after(response, form.retry_error) if form.retry_error else response
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


def _form_page(
    request: HttpRequest, form: BrandForm, logo: str, *, status: int = 200
) -> HttpResponse:
    if not logo:
        del form.fields["remove_logo"]
    row = Brand(logo=logo)
    context = page_context(
        request, title=_("Branding"), form=form, logo_url=brand_from_row(row).logo_url
    )
    return render(request, "admin/moderation/brand.html", context, status=status)


def _preview(request: HttpRequest, row: Brand) -> HttpResponse:
    """Show the brand on a page of the site. Its form carries the values, to save or change them."""
    brand = brand_from_row(row)
    context: dict[str, Any] = {
        "brand": brand,
        "site_name": brand.name,
        "values": initial_values(row),
    }
    return render(request, "moderation/brand_preview.html", context)
