"""The standard pages: about, rules, privacy policy and terms of service."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.inactive_users import allow_inactive_users
from accounts.selectors.profiles import uid_by_username
from accounts.user_cards import find_card
from socialsite.moderation import decisions
from socialsite.moderation.models import StandardPage
from socialsite.moderation.selectors.site import site_counts
from socialsite.moderation.selectors.standard_pages import page_text


@allow_inactive_users
@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """Show what this site is, who runs it, and its numbers of users and posts."""
    uid = uid_by_username(username=settings.CONTACT_ACCOUNT) if settings.CONTACT_ACCOUNT else None
    context = {
        "page_text": page_text(page=StandardPage.ABOUT),
        "counts": site_counts(),
        "contact": find_card(uid=uid) if uid is not None else None,
        "contact_email": settings.CONTACT_EMAIL,
    }
    return render(request, "moderation/about.html", context)


@allow_inactive_users
@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    context = {"rules": decisions.rules(), "page_text": page_text(page=StandardPage.RULES)}
    return render(request, "moderation/rules.html", context)


@allow_inactive_users
@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    context = {"page_text": page_text(page=StandardPage.PRIVACY)}
    return render(request, "moderation/standard_page.html", context)


@allow_inactive_users
@require_safe
def terms(request: HttpRequest) -> HttpResponse:
    context = {"page_text": page_text(page=StandardPage.TERMS)}
    return render(request, "moderation/standard_page.html", context)
