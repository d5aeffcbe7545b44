"""Pages and forms for the viewer's lists: overview, timeline, members, and lists that contain a user."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.infra import rate_limits
from accounts.infra.cursors import cursor_param, page_bounds, parse_id
from accounts.infra.refusals import Refused
from accounts.request_guards import RefusalsIn, form_page
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.user_search import search_users
from accounts.viewer import next_url, signed_in_user
from feed.forms.lists_and_filters import ListForm, ListOptionsForm, SearchForm
from feed.selectors.user_lists import list_members_page, list_timeline_page, owned_list, owned_lists
from feed.services import user_lists
from feed.services.user_lists import create_list, update_list

SEARCH_RESULTS = 20


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show_lists(request: HttpRequest) -> HttpResponse:
    owner = signed_in_user(request)
    form = ListForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with RefusalsIn(form, "title"):
            list_id = create_list(owner=owner, title=form.cleaned_data["title"])
            return redirect("edit_list", list_id)
    return form_page(request, "feed/lists.html", form, lists=owned_lists(owner=owner.pk))


@require_safe
@login_required
def show_list(request: HttpRequest, list_id: int) -> HttpResponse:
    owner = signed_in_user(request).pk
    user_list = owned_list(owner=owner, list_id=list_id)
    page = list_timeline_page(
        user_list=user_list,
        owner=owner,
        bounds=page_bounds(request, limit=settings.FEED_PAGE_SIZE),
    )
    return render(request, "feed/list.html", {"list": user_list, "page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_list(request: HttpRequest, list_id: int) -> HttpResponse:
    """Show the properties and members of a list, and followed people who match the search ``?q=``."""
    owner = signed_in_user(request)
    user_list = owned_list(owner=owner.pk, list_id=list_id)
    data = request.POST if request.method == "POST" else None
    names = ("title", "is_exclusive", "replies_policy")
    form = ListOptionsForm(data, initial={name: getattr(user_list, name) for name in names})
    if form.is_valid():
        update_list(owner=owner, list_id=list_id, **form.cleaned_data)
        messages.success(request, _("Changes saved."))
        return redirect("list", list_id)
    page = list_members_page(
        user_list=user_list, owner=owner.pk, offset=cursor_param(request, "after") or 0
    )
    search_form = SearchForm(request.GET)
    text = search_form.cleaned_data["q"] if search_form.is_valid() else ""
    context: dict[str, Any] = {
        "list": user_list,
        "people": page.rows,
        "older": page.older_cursor,
        "search_form": search_form,
        "search_text": text,
    }
    if text:
        rate_limits.count_action(action="search", subject=owner.pk)
        context["matches"] = search_users(
            text=text, viewer=owner.pk, limit=SEARCH_RESULTS, only_followed=True
        ).rows
    return form_page(request, "feed/list_edit.html", form, **context)


@require_POST
@login_required
def delete_list(request: HttpRequest, list_id: int) -> HttpResponse:
    user_lists.delete_list(owner=signed_in_user(request), list_id=list_id)
    messages.success(request, _("List deleted."))
    return redirect("lists")


@require_POST
@login_required
def add_to_list(request: HttpRequest, list_id: int, uid: int) -> HttpResponse:
    owner = signed_in_user(request)
    user_list = owned_list(owner=owner.pk, list_id=list_id)
    try:
        user_lists.add_to_list(owner=owner, user_list=user_list, uids=[uid])
    except Refused as refusal:
        messages.error(request, str(refusal))
    return redirect(next_url(request, default=reverse("edit_list", args=[list_id])))


@require_POST
@login_required
def remove_from_list(request: HttpRequest, list_id: int, uid: int) -> HttpResponse:
    user_lists.remove_from_list(owner=signed_in_user(request), list_id=list_id, uids=[uid])
    return redirect(next_url(request, default=reverse("edit_list", args=[list_id])))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def choose_lists(request: HttpRequest, username: str) -> HttpResponse:
    owner = signed_in_user(request)
    person = get_profile_or_404(username=username, viewer=owner.pk).user_card
    if request.method == "POST":
        ids = [parse_id(text) for text in request.POST.getlist("list")]
        try:
            user_lists.choose_lists(
                owner=owner,
                username=username,
                list_ids={list_id for list_id in ids if list_id is not None},
            )
        except Refused as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, _("Lists saved."))
            return redirect(person.url)
    lists = [(list_, person.uid in list_.uids) for list_ in owned_lists(owner=owner.pk)]
    return render(request, "feed/user_lists.html", {"person": person, "lists": lists})
