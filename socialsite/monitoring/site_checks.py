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

from .readiness import Check, Problem, is_recent

MIN_FREE_BYTES = 2 * 10**9
LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1", "testserver"}
UNSENT_MAIL_BACKENDS = ("console", "dummy", "filebased", "locmem")


def site_checks() -> dict[str, Check]:
    """Return the checks by name."""
    return {
        "site url": Check(
            "SITE_URL is the address of the site.", _check_site_url, SITE_URL_FAILURE
        ),
        "mail": Check("The mail server can be reached.", _check_mail, MAIL_FAILURE),
        "sender": Check("Mails have a sender.", _check_sender, SENDER_FAILURE),
        "media": Check("Pictures can be stored.", _check_media, MEDIA_FAILURE),
        "disk": Check("There is free space on the disk.", _check_disk, DISK_FAILURE),
        "static files": Check("The static files are collected.", _check_static, STATIC_FAILURE),
        "live updates": Check(
            "The streams process serves live updates.", _check_streams, STOPPED_STREAMS
        ),
        "ffmpeg": Check("Video and audio can be converted.", _check_ffmpeg, FFMPEG_FAILURE),
        "web push": Check("Web push has a key.", _check_web_push, WEB_PUSH_FAILURE),
    }


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
MAIL_FAILURE = Problem(
    "The mail server cannot be reached, or refuses the log-in.", "Check EMAIL_URL."
)
UNSENT_MAIL = Problem(
    "Mails are not sent.", "Set EMAIL_URL, such as smtp+tls://user:password@mail.example.org:587."
)
SENDER_FAILURE = Problem(
    "The sender of mails is not an address of a real domain.",
    "Set DEFAULT_FROM_EMAIL, such as Example <noreply@example.org>.",
)
MEDIA_FAILURE = Problem(
    "Pictures cannot be stored.",
    "Give the site's system user the folder media in DATA_DIR, or check the settings of the object store.",
)
DISK_FAILURE = Problem(
    "The disk of DATA_DIR has less than 2 GB of free space.", "Free some space, or add a disk."
)
STATIC_FAILURE = Problem(
    "The static files are missing or outdated.", "Run: manage.py collectstatic --noinput"
)
STOPPED_STREAMS = Problem(
    "The streams process does not run, so pages and apps have no live updates.",
    "Start: uvicorn socialsite.asgi:application --port 8001. Or set LIVE_MAX_STREAMS=0.",
)
FFMPEG_FAILURE = Problem(
    "Video and audio files cannot be converted, because ffmpeg is missing.",
    "Run: apt-get install ffmpeg. Or set CLIPS_ENABLED=false.",
)
WEB_PUSH_FAILURE = Problem(
    "Web push is off, because it has no key.",
    "Run manage.py web_push_keys, and set WEB_PUSH_PRIVATE_KEY and WEB_PUSH_CONTACT.",
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


def _check_sender() -> Problem | None:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    return None if "." in domain else SENDER_FAILURE


def _check_media() -> None:
    default_storage.delete(default_storage.save("check.txt", ContentFile(b"check")))


def _check_disk() -> Problem | None:
    is_enough = shutil.disk_usage(settings.DATA_DIR).free >= MIN_FREE_BYTES
    return None if is_enough else DISK_FAILURE


def _check_static() -> Problem | None:
    if settings.DEBUG:
        return None
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    return None if manifest.exists() else STATIC_FAILURE


def _check_streams() -> Problem | None:
    is_off = settings.LIVE_MAX_STREAMS == 0
    return None if is_off or is_recent("streams") else STOPPED_STREAMS


def _check_ffmpeg() -> Problem | None:
    has_programs = shutil.which("ffmpeg") and shutil.which("ffprobe")
    return FFMPEG_FAILURE if settings.CLIPS_ENABLED and not has_programs else None


def _check_web_push() -> Problem | None:
    return None if settings.WEB_PUSH_PRIVATE_KEY else WEB_PUSH_FAILURE
