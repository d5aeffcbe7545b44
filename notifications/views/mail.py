"""Mails: which ones somebody wants, and the way out of them that every mail carries."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.user_cards import card
from accounts.viewer import signed_in
from notifications import selectors, services
from notifications.forms import MailForm
from notifications.mailing import links


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def mail_settings(request: HttpRequest) -> HttpResponse:
    reader = signed_in(request).pk
    choice = selectors.choices_of(reader=reader).mail
    form = MailForm(request.POST if request.method == "POST" else None, choice=choice)
    if form.is_valid():
        services.choose_mail(reader=reader, **form.cleaned_data)
        messages.success(request, _("Your choice is saved."))
        return redirect("mail_settings")
    status = 422 if form.is_bound else 200
    return render(request, "notifications/mail_settings.html", {"form": form}, status=status)


# Mail programs send the form by themselves, without a cookie: the token says who is meant (RFC 8058).
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    reader = links.unsubscribing(token=token)
    person = None if reader is None else card(uid=reader)
    if person is None:
        raise Http404("No such person.")
    if request.method == "POST":
        services.stop_mails(reader=person.uid)
    context = {"person": person, "is_done": request.method == "POST"}
    return render(request, "notifications/unsubscribe.html", context)
