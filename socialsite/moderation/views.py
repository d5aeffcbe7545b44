"""The pages of users: moderation actions and appeals, reports, announcements and standard pages."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.inactive_users import allow_inactive_users
from accounts.request_guards import RefusalsIn, form_page
from accounts.selectors.profiles import uid_by_username
from accounts.selectors.relationships import relationships
from accounts.user_cards import find_card
from accounts.viewer import next_url, signed_in_user
from socialsite.moderation import decisions
from socialsite.moderation.decisions import action_against_user, actions_against_user
from socialsite.moderation.forms import AppealForm, ReportForm
from socialsite.moderation.models import StandardPage
from socialsite.moderation.selectors.site import page_text, site_counts
from socialsite.moderation.services.appeals import CannotAppeal, create_appeal
from socialsite.moderation.services.reports import create_report
from socialsite.moderation.subjects import current_evidence, visible_subject


@allow_inactive_users
@require_safe
@login_required
def action_list(request: HttpRequest) -> HttpResponse:
    actions = actions_against_user(user=signed_in_user(request))
    return render(request, "moderation/actions.html", {"decisions": actions})


@allow_inactive_users
@require_safe
@login_required
def strike_redirect(request: HttpRequest, action_id: int) -> HttpResponse:
    """Redirect the URL that Mastodon apps open for moderation notifications.

    Apps also open this URL for notifications about reports, which have no action page.
    """
    actions = actions_against_user(user=signed_in_user(request))
    if any(summary.action.pk == action_id for summary in actions):
        return redirect("moderation_action", action_id)
    return redirect("moderation_actions")


@allow_inactive_users
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def action_detail(request: HttpRequest, action_id: int) -> HttpResponse:
    """Show an action. POST creates an appeal against the action."""
    user = signed_in_user(request)
    action = action_against_user(action_id=action_id, user=user)
    form = AppealForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            create_appeal(action_id=action_id, user=user, text=form.cleaned_data["text"])
            messages.success(request, _("Appeal sent. The moderators will review the decision."))
        except CannotAppeal:
            messages.error(request, _("You can no longer appeal this decision."))
        return redirect("moderation_action", action_id)
    return form_page(request, "moderation/action.html", form, decision=action)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report_subject(request: HttpRequest, kind: str, id: int, post: int = 0) -> HttpResponse:
    reporter = signed_in_user(request)
    subject = visible_subject(kind=kind, subject_id=id, post_id=post, viewer_id=reporter.pk)
    form = ReportForm(request.POST if request.method == "POST" else None, rules=decisions.rules())
    if form.is_valid():
        with RefusalsIn(form):
            case = create_report(
                reporter=reporter,
                kind=kind,
                subject_id=id,
                post_id=post,
                category=form.cleaned_data["category"],
                rule_id=form.cleaned_data.get("rule"),
                text=form.cleaned_data["text"],
            )
            return redirect("report_status", case.pk)
    context = {
        "kind": kind,
        "person": find_card(uid=subject.user_id),
        "text": current_evidence(subject=subject)["text"],
    }
    return form_page(request, "moderation/report_form.html", form, **context)


@require_safe
@login_required
def report_status(request: HttpRequest, case_id: int) -> HttpResponse:
    report, case = decisions.own_report(case_id=case_id, reporter=signed_in_user(request))
    context = {
        "report": report,
        "case": case,
        "person": find_card(uid=case.user_id),
        "is_muting": bool(relationships(viewer=report.reporter, uids=[case.user_id]).muted),
    }
    return render(request, "moderation/report_status.html", context)


@require_POST
@login_required
def dismiss(request: HttpRequest, announcement_id: int) -> HttpResponse:
    decisions.dismiss(announcement_id=announcement_id, user=signed_in_user(request))
    return redirect(next_url(request, default="home"))


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
def standard_page(request: HttpRequest, page: StandardPage) -> HttpResponse:
    context = {"page_text": page_text(page=page)}
    return render(request, "moderation/standard_page.html", context)
