"""What a reader does not want to read: a page of their settings."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.viewer import signed_in
from feed import selectors, services
from feed.forms import FilterForm


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def filters(request: HttpRequest) -> HttpResponse:
    reader = signed_in(request).pk
    form = FilterForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            services.add_filter(reader=reader, **form.cleaned_data)
        except services.CannotFilter as refusal:
            form.add_error("phrase", str(refusal))
        else:
            messages.success(request, _("Your filter is in place."))
            return redirect("filters")
    context = {
        "filters": selectors.filters_of(reader=reader),
        "form": form,
        "kinds": selectors.shown_kinds(reader=reader),
        "now": timezone.now(),
    }
    return render(request, "feed/filters.html", context, status=422 if form.is_bound else 200)


@require_POST
@login_required
def remove_filter(request: HttpRequest, filter_id: int) -> HttpResponse:
    services.remove_filter(reader=signed_in(request).pk, filter_id=filter_id)
    messages.success(request, _("The filter is gone."))
    return redirect("filters")


@require_POST
@login_required
def choose_kinds(request: HttpRequest) -> HttpResponse:
    shown = set(request.POST.getlist("kind"))
    services.choose_kinds(reader=signed_in(request).pk, shown=shown)
    messages.success(request, _("Your choice is saved."))
    return redirect("filters")
