"""Somebody's lists of people: all of them, one as a timeline, who is on it, and on which a person is."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import selectors as people
from accounts.paging import cursor, id_in, window
from accounts.viewer import signed_in
from feed import selectors, services
from feed.forms import ListForm


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def lists(request: HttpRequest) -> HttpResponse:
    owner = signed_in(request)
    form = ListForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = services.create_list(owner=owner, title=form.cleaned_data["title"])
        except services.CannotList as refusal:
            form.add_error("title", str(refusal))
        else:
            return redirect("edit_list", made)
    context = {"lists": selectors.lists_of(owner=owner.pk), "form": form}
    return render(request, "feed/lists.html", context, status=422 if form.is_bound else 200)


@require_safe
@login_required
def one_list(request: HttpRequest, list_id: int) -> HttpResponse:
    owner = signed_in(request).pk
    found = selectors.people_list(owner=owner, list_id=list_id)
    page = selectors.list_page(
        found=found,
        owner=owner,
        limit=settings.FEED_PAGE_SIZE,
        **window(request),
    )
    return render(request, "feed/list.html", {"list": found, "page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_list(request: HttpRequest, list_id: int) -> HttpResponse:
    owner = signed_in(request)
    found = selectors.people_list(owner=owner.pk, list_id=list_id)
    given = request.POST if request.method == "POST" else None
    form = ListForm(given, initial={"title": found.title})
    if form.is_valid():
        services.rename_list(owner=owner, list_id=list_id, title=form.cleaned_data["title"])
        messages.success(request, _("Your changes are saved."))
        return redirect("list", list_id)
    page = selectors.people_on(found=found, owner=owner.pk, after=cursor(request, "after") or 0)
    context = {"list": found, "form": form, "people": page.people, "older": page.older}
    return render(request, "feed/list_edit.html", context, status=422 if form.is_bound else 200)


@require_POST
@login_required
def delete_list(request: HttpRequest, list_id: int) -> HttpResponse:
    services.delete_list(owner=signed_in(request), list_id=list_id)
    messages.success(request, _("The list is deleted. The people on it are not told."))
    return redirect("lists")


@require_POST
@login_required
def remove_from_list(request: HttpRequest, list_id: int, uid: int) -> HttpResponse:
    services.remove_from_list(owner=signed_in(request), list_id=list_id, uids=[uid])
    return redirect("edit_list", list_id)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def choose_lists(request: HttpRequest, username: str) -> HttpResponse:
    """On which of one's lists a person is."""
    owner = signed_in(request)
    person = people.profile(username=username, viewer=owner.pk).person
    if request.method == "POST":
        chosen = {id_in(one) for one in request.POST.getlist("list")} - {None}
        try:
            services.choose_lists(
                owner=owner, username=username, chosen={one for one in chosen if one is not None}
            )
        except services.CannotList as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("Your lists are saved."))
            return redirect(person.url)
    lists = [(one, person.uid in one.uids) for one in selectors.lists_of(owner=owner.pk)]
    return render(request, "feed/choose_lists.html", {"person": person, "lists": lists})
