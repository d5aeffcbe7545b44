"""Compose a notification mail. Its unsubscribe link works without logging in."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.signing import BadSignature, Signer
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.brand.current import current_brand
from accounts.selectors.profiles import recipient_language
from notifications.selectors.notification_views import NotificationView, grouped_views
from notifications.store.mail_queue import MailClaim
from notifications.store.preferences import DAILY, WEEKLY
from notifications.store.rows import NotificationRow

from .schedule import preferred_zone
from .sentence import Sentence, render_sentence

MAX_SUBJECT_LENGTH = 80


def compose_mail(
    *, claim: MailClaim, rows: list[NotificationRow], address: str
) -> EmailMultiAlternatives | None:
    """Return the mail, or None if all rows are hidden from the recipient.

    A retry has the same Message-ID, so that mail servers can recognize a mail that was sent twice.
    """
    views = grouped_views(viewer=claim.recipient, rows=rows)
    if not views:
        return None
    brand = current_brand()
    with (
        timezone.override(preferred_zone(choice=claim.preferences)),
        translation.override(recipient_language(uid=claim.recipient)),
    ):
        sentences = [render_sentence(notification=view) for view in views]
        subject = _format_subject(claim.preferences.mode, views, sentences)
        unsubscribe_link = unsubscribe_url(recipient=claim.recipient)
        context = {
            "subject": subject,
            "sentences": sentences,
            "mode": claim.preferences.mode,
            "site_name": brand.name,
            "colors": brand.palette,
            "all_url": _absolute_url(reverse("notifications")),
            "settings_url": _absolute_url(reverse("email_settings")),
            "unsubscribe_url": unsubscribe_link,
        }
        host = urlsplit(settings.SITE_URL).hostname or "localhost"
        headers = {
            "Message-ID": f"<notifications.{claim.recipient}.{claim.upto_id}@{host}>",
            "List-Unsubscribe": f"<{unsubscribe_link}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        }
        if claim.preferences.is_digest:
            headers["Precedence"] = "bulk"
        mail = EmailMultiAlternatives(
            subject=f"{brand.subject_prefix}{subject}",
            body=render_to_string("notifications/mail/message.txt", context),
            from_email=brand.mail_sender,
            to=[address],
            headers=headers,
        )
        html = render_to_string("notifications/mail/message.html", context)
    mail.attach_alternative(html, "text/html")
    return mail


def recipient_from_token(*, token: str) -> int | None:
    """Return the uid in an unsubscribe token, or None if the signature is invalid."""
    try:
        return int(_signer().unsign(token))
    except BadSignature:
        return None


def unsubscribe_url(*, recipient: int) -> str:
    """Return the unsubscribe link. It never expires, because users keep mails for years."""
    return _absolute_url(reverse("unsubscribe_email", args=[_signer().sign(str(recipient))]))


def _signer() -> Signer:
    return Signer(salt="notifications.unsubscribe")


def _absolute_url(path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def _format_subject(mode: str, views: list[NotificationView], sentences: list[Sentence]) -> str:
    """Return the subject. For direct content, omit names, because bystanders may see the subject."""
    count = sum(len(view.row_ids) for view in views)
    template = ngettext("%(count)d new notification", "%(count)d new notifications", count)
    count_text = template % {"count": count}
    if mode == DAILY:
        return _("Your daily summary: %(news)s") % {"news": count_text}
    if mode == WEEKLY:
        return _("Your weekly summary: %(news)s") % {"news": count_text}
    if len(views) > 1:
        return count_text
    (view,) = views
    if view.is_direct:
        return f"{view.kind.label}: {count_text}"
    return Truncator(sentences[0].text).chars(MAX_SUBJECT_LENGTH) or count_text
