"""The settings page for filters of the home timeline."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.viewer import signed_in_user
from feed.forms import FilterForm
from feed.selectors.filters import filters_of_viewer, home_kind_choices
from feed.services import filters
from feed.services.filters import CannotFilter, add_phrase_filter


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_filters(request: HttpRequest) -> HttpResponse:
    viewer = signed_in_user(request).pk
    form = FilterForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            add_phrase_filter(owner=viewer, **form.cleaned_data)
        except CannotFilter as refusal:
            form.add_error("phrase", str(refusal))
        else:
            messages.success(request, _("Filter added."))
            return redirect("filters")
    context = {
        "filters": filters_of_viewer(viewer=viewer),
        "form": form,
        "kinds": home_kind_choices(viewer=viewer),
        "now": timezone.now(),
    }
    return render(request, "feed/filters.html", context, status=422 if form.is_bound else 200)


@require_POST
@login_required
def delete_filter(request: HttpRequest, filter_id: int) -> HttpResponse:
    filters.delete_filter(owner=signed_in_user(request).pk, filter_id=filter_id)
    messages.success(request, _("Filter deleted."))
    return redirect("filters")


@require_POST
@login_required
def set_home_kinds(request: HttpRequest) -> HttpResponse:
    shown = set(request.POST.getlist("kind"))
    filters.set_home_kinds(owner=signed_in_user(request).pk, shown_kinds=shown)
    messages.success(request, _("Settings saved."))
    return redirect("filters")
