"""Checks of settings, files and outside services. Unlike readiness, they take their time."""

import shutil
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks as django_checks
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.mail import get_connection
from django.http.request import validate_host

from feed import sandbox

from .readiness import Check, Problem, is_recent

MIN_FREE_BYTES = 2 * 10**9
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1", "testserver"}
UNSENT_MAIL_BACKENDS = ("console", "dummy", "filebased", "locmem")


def setting_problems() -> list[Problem]:
    """Return the problems that Django's system checks find, with the checks for deployment."""
    messages = django_checks.run_checks(include_deployment_checks=True)
    return [
        Problem(message.msg, message.hint or "See the documentation of this setting.")
        for message in messages
        if message.level >= django_checks.WARNING and not message.is_silenced()
    ]


SITE_URL_FAILURE = Problem(
    "SITE_URL is not a public address.", "Set SITE_URL to the address that users see."
)
UNSENT_MAIL = Problem(
    "Mails are not sent.", "Set EMAIL_URL, such as smtp+tls://user:password@mail.example.org:587."
)


def _check_site_url() -> Problem | None:
    url = urlsplit(settings.SITE_URL)
    host = url.hostname or ""
    if not host or host in LOCAL_HOSTS:
        return SITE_URL_FAILURE
    if (url.scheme == "https") != settings.HTTPS:
        return Problem(
            "SITE_URL and HTTPS do not fit together.",
            "Let SITE_URL begin with https://, and leave HTTPS unset.",
        )
    if not validate_host(host, settings.ALLOWED_HOSTS):
        return Problem(
            "ALLOWED_HOSTS lacks the host of SITE_URL.", "Add the host to ALLOWED_HOSTS."
        )
    return None


def _check_mail() -> Problem | None:
    backend = settings.EMAIL_BACKEND.rsplit(".", 2)[-2]
    if backend in UNSENT_MAIL_BACKENDS:
        return UNSENT_MAIL
    connection = get_connection()
    connection.open()
    connection.close()
    return None


SITE_CHECKS = {
    "site url": Check("SITE_URL is the address of the site.", _check_site_url, SITE_URL_FAILURE),
    "mail": Check(
        "The mail server can be reached.",
        _check_mail,
        Problem("The mail server cannot be reached, or refuses the log-in.", "Check EMAIL_URL."),
    ),
    "sender": Check(
        "Mails have a sender.",
        lambda: "." not in parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2],
        Problem(
            "The sender of mails is not an address of a real domain.",
            "Set DEFAULT_FROM_EMAIL, such as Example <noreply@example.org>.",
        ),
    ),
    "media": Check(
        "Pictures can be stored.",
        lambda: default_storage.delete(default_storage.save("check.txt", ContentFile(b"check"))),
        Problem(
            "Pictures cannot be stored.",
            "Give the site's system user the folder media in DATA_DIR, or check the settings of the "
            "object store.",
        ),
    ),
    "disk": Check(
        "There is free space on the disk.",
        lambda: shutil.disk_usage(settings.DATA_DIR).free < MIN_FREE_BYTES,
        Problem(
            "The disk of DATA_DIR has less than 2 GB of free space.",
            "Free some space, or add a disk.",
        ),
    ),
    "static files": Check(
        "The static files are collected.",
        lambda: not (settings.DEBUG or Path(settings.STATIC_ROOT, "staticfiles.json").exists()),
        Problem(
            "The static files are missing or outdated.", "Run: manage.py collectstatic --noinput"
        ),
    ),
    "live updates": Check(
        "The streams process serves live updates.",
        lambda: settings.LIVE_MAX_STREAMS != 0 and not is_recent("streams"),
        Problem(
            "The streams process does not run, so pages and apps have no live updates.",
            "Start: uvicorn socialsite.asgi:application --port 8001. Or set LIVE_MAX_STREAMS=0.",
        ),
    ),
    "ffmpeg": Check(
        "Video and audio can be converted.",
        lambda: settings.CLIPS_ENABLED and not all(map(shutil.which, ("ffmpeg", "ffprobe"))),
        Problem(
            "Video and audio files cannot be converted, because ffmpeg is missing.",
            "Run: apt-get install ffmpeg. Or set CLIPS_ENABLED=false.",
        ),
    ),
    "sandbox": Check(
        "ffmpeg can open only its own files.",
        lambda: settings.CLIPS_ENABLED and sandbox.landlock_version() < 1,
        Problem(
            "ffmpeg can open any file of the site, because this kernel has no Landlock.",
            "Use a kernel with Landlock (Linux 5.13 or newer). Or set CLIPS_ENABLED=false.",
        ),
    ),
    "web push": Check(
        "Web push has a key.",
        lambda: not settings.WEB_PUSH_PRIVATE_KEY,
        Problem(
            "Web push is off, because it has no key.",
            "Run manage.py web_push_keys, and set WEB_PUSH_PRIVATE_KEY and WEB_PUSH_CONTACT.",
        ),
    ),
}
"""The checks by name."""
