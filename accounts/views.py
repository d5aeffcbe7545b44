"""Pages about people: lists, follow and unfollow, settings, pictures.

The profile page shows posts, so it lives in ``feed``.
"""

from allauth.account.adapter import get_adapter
from allauth.account.views import SignupView
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.files.storage import default_storage
from django.db import IntegrityError
from django.forms import Form
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from . import avatars, selectors, services
from .context_processors import THEMES
from .forms import ProfileForm, UsernameForm
from .paging import cursor
from .viewer import signed_in, viewer_id

A_YEAR = 31_536_000


class SignUpView(SignupView):
    def form_valid(self, form: Form) -> HttpResponse:
        try:
            return super().form_valid(form)  # type: ignore[no-any-return]
        except IntegrityError:
            # Somebody took the name between the form's look-up and the insert.
            form.add_error("username", _("Somebody already has this name."))
            return self.form_invalid(form)  # type: ignore[no-any-return]


sign_up = SignUpView.as_view()


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    page = selectors.newest_people_page(
        viewer=viewer_id(request),
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    return _people(request, page, kind="people", title=_("People"), person=None)


@require_safe
def followers(request: HttpRequest, username: str) -> HttpResponse:
    person = selectors.person(username=username)
    page = selectors.followers_page(
        uid=person.uid,
        viewer=viewer_id(request),
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    title = _("Followers of %(name)s") % {"name": person.display_name}
    return _people(request, page, kind="followers", title=title, person=person)


@require_safe
def following(request: HttpRequest, username: str) -> HttpResponse:
    person = selectors.person(username=username)
    page = selectors.following_page(
        uid=person.uid,
        viewer=viewer_id(request),
        max_id=cursor(request, "max_id"),
        min_id=cursor(request, "min_id"),
    )
    title = _("Followed by %(name)s") % {"name": person.display_name}
    return _people(request, page, kind="following", title=title, person=person)


@require_POST
def follow(request: HttpRequest, username: str) -> HttpResponse:
    person = selectors.person(username=username)
    if not request.user.is_authenticated:
        return redirect_to_login(person.url)  # to come back here by GET would be refused
    try:
        services.follow(follower=signed_in(request).pk, followee=person.uid)
    except services.CannotFollow as refusal:
        messages.error(request, str(refusal))
    return HttpResponseRedirect(_next(request, default=person.url))


@require_POST
def unfollow(request: HttpRequest, username: str) -> HttpResponse:
    person = selectors.person(username=username)
    if not request.user.is_authenticated:
        return redirect_to_login(person.url)
    services.unfollow(follower=signed_in(request).pk, followee=person.uid)
    return HttpResponseRedirect(_next(request, default=person.url))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_profile(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if request.method != "POST":
        shown = {"display_name": user.display_name, "bio": user.bio}
        form = ProfileForm(initial=shown, has_avatar=bool(user.avatar))
        return render(request, "accounts/settings_profile.html", {"form": form})
    form = ProfileForm(request.POST, request.FILES, has_avatar=bool(user.avatar))
    if not form.is_valid():
        return render(request, "accounts/settings_profile.html", {"form": form}, status=422)
    data = form.cleaned_data
    services.update_profile(uid=user.pk, display_name=data["display_name"], bio=data["bio"])
    if data["avatar"] or data.get("remove_avatar"):
        services.change_avatar(uid=user.pk, picture=data["avatar"])
    messages.success(request, _("Your profile is saved."))
    return redirect("edit_profile")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def rename(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if request.method != "POST":
        form = UsernameForm(initial={"username": user.username}, user=user)
        return render(request, "accounts/settings_username.html", {"form": form})
    form = UsernameForm(request.POST, user=user)
    if form.is_valid():
        try:
            services.rename(uid=user.pk, username=form.cleaned_data["username"])
        except services.NameTaken:
            form.add_error("username", _("Somebody already has this name."))
        else:
            messages.success(request, _("Your user name is changed."))
            return redirect("rename")
    return render(request, "accounts/settings_username.html", {"form": form}, status=422)


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    response = HttpResponseRedirect(_next(request, default="/"))
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(
            "theme",
            theme,
            A_YEAR,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    return response


@require_safe
@cache_control(public=True, max_age=A_YEAR, immutable=True)
def identicon(request: HttpRequest, uid: int) -> HttpResponse:
    """Drawn for any number, so that it reveals nothing about who exists."""
    return HttpResponse(avatars.identicon(uid=uid), content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=A_YEAR, immutable=True)
def avatar(request: HttpRequest, name: str) -> HttpResponseBase:
    try:
        picture = default_storage.open(avatars.path(name=name))
    except FileNotFoundError:
        raise Http404("No such picture.") from None
    return FileResponse(picture, content_type="image/webp")


def _people(request: HttpRequest, page: selectors.PeoplePage, **context: object) -> HttpResponse:
    return render(
        request,
        "accounts/people.html",
        {"people": page.people, "older": page.older, "newer": page.newer, **context},
    )


def _next(request: HttpRequest, *, default: str) -> str:
    """Where the form was, if that is a path of this site."""
    target = request.POST.get("next", "")
    return target if get_adapter().is_safe_url(target) else default
