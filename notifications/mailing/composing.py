"""One mail of what somebody was told."""

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from notifications.selectors import Notification, told
from notifications.store.choices import DAILY, WEEKLY
from notifications.store.items import Item
from notifications.store.mails import Claim

from . import links
from .schedule import zone_of
from .sentences import Sentence, sentence

LONGEST_SUBJECT = 80


def compose(*, claim: Claim, items: list[Item], address: str) -> EmailMultiAlternatives | None:
    """None if nothing of it can be shown to the reader now. The same claim makes a mail of the same id."""
    shown = told(reader=claim.reader, items=items)
    if not shown:
        return None
    with timezone.override(zone_of(choice=claim.choice)):
        sentences = [sentence(one=one) for one in shown]
        subject = _subject(claim.choice.mode, shown, sentences)
        unsubscribe_url = links.unsubscribe_url(reader=claim.reader)
        context = {
            "subject": subject,
            "sentences": sentences,
            "mode": claim.choice.mode,
            "site_name": settings.SITE_NAME,
            "all_url": links.whole(path=reverse("notifications")),
            "settings_url": links.whole(path=reverse("mail_settings")),
            "unsubscribe_url": unsubscribe_url,
        }
        headers = {
            "Message-ID": f"<notifications.{claim.reader}.{claim.upto}@{links.host()}>",
            "List-Unsubscribe": f"<{unsubscribe_url}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        }
        if claim.choice.is_digest:
            headers["Precedence"] = "bulk"
        mail = EmailMultiAlternatives(
            subject=f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}",
            body=render_to_string("notifications/mail/message.txt", context),
            to=[address],
            headers=headers,
        )
        html = render_to_string("notifications/mail/message.html", context)
    mail.attach_alternative(html, "text/html")
    return mail


def _subject(mode: str, shown: list[Notification], sentences: list[Sentence]) -> str:
    """Names only who did something in public: others may see a subject over one's shoulder."""
    count = sum(len(one.ids) for one in shown)
    number = ngettext("%(count)d new notification", "%(count)d new notifications", count)
    numbered = number % {"count": count}
    if mode == DAILY:
        return _("Your day: %(news)s") % {"news": numbered}
    if mode == WEEKLY:
        return _("Your week: %(news)s") % {"news": numbered}
    if len(shown) > 1:
        return numbered
    (one,) = shown
    if one.post is not None and one.post.visibility == "direct":
        return f"{one.kind.label}: {numbered}"
    return Truncator(sentences[0].text).chars(LONGEST_SUBJECT) or numbered
