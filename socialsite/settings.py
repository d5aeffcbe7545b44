"""Settings, read from the environment or from ``.env`` (which ``make setup`` writes for development).

The defaults are for production: the site requires a secret and a database, and uses HTTPS only.
``docs/settings.md`` lists every variable.
"""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import environ
from django.conf import global_settings
from django.core.exceptions import ImproperlyConfigured
from whitenoise.compress import Compressor

from socialsite import schedule
from socialsite.api import settings as api_settings
from socialsite.formats.en import formats
from socialsite.languages import languages_in
from socialsite.local import mongodb_uri

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
env.read_env(BASE_DIR / ".env")

# --- The site ----------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", default=False)
HTTPS = env.bool("HTTPS", default=not DEBUG)
SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. Set it to a long random text (and keep it), or run 'make setup' for a "
        "development site."
    )
# Administrators can change the name and description in the admin: ``accounts.brand``.
SITE_NAME = env.str("SITE_NAME", default="Socialsite")
SITE_DESCRIPTION = env.str("SITE_DESCRIPTION", default="")  # one sentence, shown by apps
CONTACT_EMAIL = env.str("CONTACT_EMAIL", default="")  # shown by apps as contact
# The username of the contact, shown by apps.
CONTACT_ACCOUNT = env.str("CONTACT_ACCOUNT", default="").lower()
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
# Where the streams process is reached. With a proxy, one address can serve both.
STREAMING_URL = env.str("STREAMING_URL", default=SITE_URL).rstrip("/")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost"] if DEBUG else [])
CSRF_TRUSTED_ORIGINS = [SITE_URL] if SITE_URL.startswith("https://") else []
DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / ".data")))

# --- Database, cache, jobs ---------------------------------------------------------------------
MONGODB_URI = env.str("MONGODB_URI", default="") or mongodb_uri.embedded_uri(DATA_DIR)
if not MONGODB_URI:
    raise ImproperlyConfigured(
        "MONGODB_URI is not set, and no embedded MongoDB is running. Set it to a replica set, such "
        "as mongodb://127.0.0.1:27017/?replicaSet=rs0, or run 'make demo'."
    )
MONGODB_NAME = env.str("MONGODB_NAME", default="socialsite")
DATABASES = {
    "default": {
        "ENGINE": "socialsite.engine",
        "HOST": MONGODB_URI,
        "NAME": MONGODB_NAME,
        "OPTIONS": {
            # Without a primary, pages fail after this time. Workers wait longer (``socialsite.celery``).
            "serverSelectionTimeoutMS": 3000,
            # Acknowledged writes survive the loss of one member. This option is set here, because the URI
            # and the cluster may have other defaults.
            "w": "majority",
            "appname": "socialsite",
        },
        "TEST": {"NAME": MONGODB_NAME + "_test"},
    }
}
DEFAULT_AUTO_FIELD = "accounts.infra.ids.TimeOrderedIdField"
ALLAUTH_DEFAULT_AUTO_FIELD = DEFAULT_AUTO_FIELD
MIGRATION_MODULES = {
    label: f"socialsite.contrib_migrations.{label}"
    for label in ("account", "admin", "auth", "contenttypes", "mfa", "usersessions")
} | {"oauth2_provider": None}  # ``accounts.oauth.models`` replaces all models of this app

REDIS_URL = env.str("REDIS_URL", default="")
SHARED_CACHE = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": REDIS_URL,
}
CACHES = {
    "default": SHARED_CACHE
    if REDIS_URL
    else {"BACKEND": "socialsite.engine.cache.MongoCache", "LOCATION": "cache"},
    # Without a cache server, do not cache user cards. Reading cards from a cache in the same database costs
    # as much as reading the users.
    "cards": SHARED_CACHE
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
}

CELERY_BROKER_URL = env.str("BROKER_URL", default="") or mongodb_uri.with_database(
    MONGODB_URI, MONGODB_NAME + "_jobs"
)
# Do not let requests wait for an unreachable broker, because the sweeper sends lost tasks again.
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"max_retries": 1, "interval_start": 0}
if CELERY_BROKER_URL.startswith("mongodb"):
    CELERY_BROKER_URL = mongodb_uri.with_selection_timeout(CELERY_BROKER_URL, milliseconds=3000)
    # By default, this transport polls once a second. With late acknowledgment, a worker would process only
    # one task per second.
    CELERY_BROKER_TRANSPORT_OPTIONS["polling_interval"] = 0.1
elif CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS |= {"socket_connect_timeout": 2, "socket_timeout": 10}
CELERY_IMPORTS = ["socialsite.monitoring.heartbeats"]
# Jobs that can take minutes have a queue and a worker of their own, so that no other job waits for them.
SLOW_QUEUE = "slow"
CELERY_TASK_ROUTES = {
    name: {"queue": SLOW_QUEUE}
    for name in (
        "feed.tasks.correct_numbers",
        "feed.tasks.process_clip",
        "socialsite.archive.tasks.export_archive",
        "socialsite.archive.tasks.import_archive",
    )
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# --- Apps and requests -------------------------------------------------------------------------
INSTALLED_APPS = [
    "socialsite",
    "accounts",
    "feed",
    "notifications",
    "socialsite.moderation",
    "socialsite.archive",
    "socialsite.contrib_apps.SiteAdminConfig",
    "socialsite.contrib_apps.SiteAuthConfig",
    "socialsite.contrib_apps.SiteContentTypesConfig",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.forms",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth",
    "oauth2_provider",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "corsheaders",
    "csp",
    "django_htmx",
    "django_structlog",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "socialsite.monitoring.views.MonitoringMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "socialsite.request_stats.RequestStatsMiddleware",
    "csp.middleware.CSPMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "accounts.infra.middleware.TrailingSlashMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "accounts.middleware.DefaultLanguageMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "accounts.request_guards.BlockedNetworkMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.infra.middleware.PrivatePagesMiddleware",
    "accounts.middleware.SessionActivityMiddleware",
    "accounts.middleware.ViewerLocaleMiddleware",
    "accounts.inactive_users.InactiveUserMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.infra.middleware.RequestLogMiddleware",
]
ROOT_URLCONF = "socialsite.urls"
WSGI_APPLICATION = "socialsite.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
CONTEXT_PROCESSORS = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
    "csp.context_processors.nonce",
    "accounts.context_processors.page_context",
    "notifications.context_processors.unread_badges",
    "notifications.context_processors.live_updates",
    "socialsite.moderation.context_processors.announcements",
]
TEMPLATES = [
    {
        "BACKEND": "socialsite.jinja.Templates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "environment": "socialsite.jinja.environment",
            "context_processors": CONTEXT_PROCESSORS,
        },
    },
    # The admin and the pages of other packages.
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "django"],
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": CONTEXT_PROCESSORS},
    },
]

# --- Accounts (allauth) ------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backends.AuthenticationBackend"]
PASSWORD_HASHERS = [  # the first hashes new passwords, the others verify existing hashes
    *global_settings.PASSWORD_HASHERS,
    "accounts.oauth.hashers.ClientSecretHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_SIGNUP_REDIRECT_URL = "welcome"
ACCOUNT_ADAPTER = "accounts.allauth_adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_FORMS = {"reset_password": "accounts.forms.ResetForm"}
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_USERNAME_VALIDATORS = "accounts.usernames.sign_up_validators"
ACCOUNT_EMAIL_VERIFICATION = env.str("EMAIL_VERIFICATION", default="optional")
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_PREVENT_ENUMERATION = "strict"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
# "ip" counts per client address, "key" per account.
ACCOUNT_RATE_LIMITS = {
    "login": env.str("RATE_LIMIT_LOG_INS", default="30/m/ip"),
    "login_failed": "25/5m/ip,25/h/key",
    "reset_password": "20/m/ip,5/h/key",
}

# Who can sign up: "open", "invitation" (people with an invitation link) or "closed".
SIGN_UP_MODE = env.str("SIGN_UP_MODE", default="open")
# Rate limits such as "300/3h" for each user or, for visitors, for each client address. The units are s, m,
# h and d. An empty text means no limit. ``accounts.infra.rate_limits`` enforces the limits.
RATE_LIMITS = {
    "post": env.str("RATE_LIMIT_POSTS", default="300/3h"),  # posts and shares
    "comment": env.str("RATE_LIMIT_COMMENTS", default="300/3h"),
    "like": env.str("RATE_LIMIT_LIKES", default="1000/h"),
    "vote": env.str("RATE_LIMIT_VOTES", default="1000/h"),
    "follow": env.str("RATE_LIMIT_FOLLOWS", default="400/d"),
    "report": env.str("RATE_LIMIT_REPORTS", default="400/d"),
    "upload": env.str("RATE_LIMIT_UPLOADS", default="120/h"),  # pictures and clips
    "clip": env.str("RATE_LIMIT_CLIPS", default="20/h"),  # video and audio files
    # Pages of other sites that workers fetch, per user and per host. More of them wait.
    "link": env.str("RATE_LIMIT_LINKS", default="60/h"),
    "link_host": env.str("RATE_LIMIT_LINK_HOSTS", default="60/m"),
    # Pages that take seconds or do not respond. Running fetches count, too.
    "slow_link": env.str("RATE_LIMIT_SLOW_LINKS", default="6/h"),
    "slow_link_host": env.str("RATE_LIMIT_SLOW_LINK_HOSTS", default="3/h"),
    "import": env.str("RATE_LIMIT_IMPORTS", default="5/d"),  # archives
    "search": env.str("RATE_LIMIT_SEARCHES", default="300/5m"),
    "visitor_search": env.str("RATE_LIMIT_VISITOR_SEARCHES", default="60/5m"),
    "completion": env.str("RATE_LIMIT_COMPLETIONS", default="600/5m"),  # of "@" and "#" in a text
    # Confirmation mails that a user requests again.
    "mail": env.str("RATE_LIMIT_MAILS", default="10/d"),
    "sign_up": env.str("RATE_LIMIT_SIGN_UPS", default="25/d"),
    "invitation": env.str("RATE_LIMIT_INVITATIONS", default="10/7d"),  # not for staff
    "api": env.str("RATE_LIMIT_API", default="1500/5m"),
    "visitor_api": env.str("RATE_LIMIT_VISITOR_API", default="300/5m"),
    "app": env.str("RATE_LIMIT_APPS", default="60/h"),  # app registrations from one client address
}

MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_ADAPTER = "accounts.allauth_adapter.MFAAdapter"
MFA_TOTP_TOLERANCE = 1  # accept a code 30 seconds early or late (RFC 6238, section 5.2)
STAFF_NEEDS_2FA = env.bool("STAFF_NEEDS_2FA", default=False)
# Days until a deleted account is erased. Until then, the user can cancel the deletion.
ERASE_AFTER_DAYS = env.int("ERASE_AFTER_DAYS", default=30)

EMAIL_TIMEOUT = 10  # in seconds; EMAIL_URL may contain another value
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"{SITE_NAME} <noreply@localhost>")

DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False  # ``accounts.receivers`` adds the address to logs

# --- Languages, files, security ----------------------------------------------------------------
LANGUAGE_CODE = "en"
# Each folder in ``locale`` is a language. ``make check`` fails if its translation is incomplete.
LANGUAGES = languages_in(BASE_DIR / "socialsite" / "locale")
# Texts that an administrator translates differently (docs/languages.md).
LOCALE_PATHS = [DATA_DIR / "locale"]
FORMAT_MODULE_PATH = ["socialsite.formats"]
# For languages without formats.
TIME_FORMAT, DATETIME_FORMAT = formats.TIME_FORMAT, formats.DATETIME_FORMAT
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 86_400
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = HTTPS
TIME_ZONE = "UTC"
USE_THOUSAND_SEPARATOR = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_FINDERS = [*global_settings.STATICFILES_FINDERS, "socialsite.bundles.BundleFinder"]
# Media are in a private bucket if ``S3_BUCKET`` is set, else in a folder.
S3_BUCKET = env.str("S3_BUCKET", default="")
if S3_BUCKET and find_spec("storages") is None:
    raise ImproperlyConfigured('S3_BUCKET needs the extra "s3": pip install ".[s3]"')
STORAGES = {
    "default": {
        "BACKEND": "socialsite.object_storage.ObjectStorage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "location": env.str("S3_PREFIX", default=""),
            "endpoint_url": env.str("S3_ENDPOINT_URL", default="") or None,
            "region_name": env.str("S3_REGION", default="") or None,
            # Without keys, boto3 searches its usual places, such as the role of the machine.
            "access_key": env.str("S3_ACCESS_KEY_ID", default="") or None,
            "secret_key": env.str("S3_SECRET_ACCESS_KEY", default="") or None,
        },
    }
    if S3_BUCKET
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "media", "base_url": "/media/"},
    },
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if not DEBUG
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
# Source maps are only for debugging, and compressing them takes longer than compressing all other files.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "connect-src": ["'self'", *([STREAMING_URL] if STREAMING_URL != SITE_URL else [])],
        # "blob:" is a file that the user chose, as the composer's script shows it during the upload.
        "img-src": ["'self'", "data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
    }
}
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_ENGINE = "accounts.session_store"
SECURE_SSL_REDIRECT = HTTPS
# Load balancers and Prometheus call the process without HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^health(/live|/ready)?$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# Number of trusted proxies in front of the site. ``accounts.infra.client_address`` trusts the addresses
# that these proxies report.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=1 if env.bool("BEHIND_PROXY", False) else 0)
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000  # does not limit files, whose sizes the forms check
# Django refuses requests with more files. Forms have lower limits and show a message.
DATA_UPLOAD_MAX_NUMBER_FILES = 10
# Other users of the machine cannot read files. nginx reads some by the group of their folder: without
# permissions for new folders, these inherit the group (docs/deploy.md).
FILE_UPLOAD_PERMISSIONS = 0o640
FILE_UPLOAD_HANDLERS = [
    "socialsite.request_bodies.SizeLimitUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# --- Feed --------------------------------------------------------------------------------------
FEED_STRATEGY = env.str("FEED_STRATEGY", default="buckets")
FEED_INBOX_MAX = env.int("FEED_INBOX_MAX", default=1000)  # entries per inbox
# Workers deliver posts to larger audiences. The request itself delivers to smaller audiences.
FEED_INLINE_AUDIENCE_LIMIT = env.int("FEED_INLINE_AUDIENCE_LIMIT", default=1000)
# Posts of authors with more followers are not delivered. Timelines merge these posts when they are read.
FEED_PUSH_LIMIT = env.int("FEED_PUSH_LIMIT", default=100_000)
# Number of days without a visit after which the inbox of a user is dropped.
FEED_DORMANT_DAYS = env.int("FEED_DORMANT_DAYS", default=14)
# The kinds of posts on home timelines.
FEED_HOME_KINDS = env.list("FEED_HOME_KINDS", default=[])
FEED_STALLED_SECONDS = env.int("FEED_STALLED_SECONDS", default=30)  # seconds until work is resumed
# The number of first posts of each account that moderators review before they are published.
FEED_REVIEW_FIRST_POSTS = env.int("FEED_REVIEW_FIRST_POSTS", default=0)
# Whether workers fetch pages of other sites, for link cards and to verify the links of profiles.
FETCH_LINKS = env.bool("FETCH_LINKS", default=True)
# Addresses with ports, such as "127.0.0.1:8080", that tests may fetch although they are not public.
FETCH_TEST_ADDRESSES: list[str] = []
CELERY_BEAT_SCHEDULE = schedule.beat_schedule(stalled_after_seconds=FEED_STALLED_SECONDS)
FEED_PAGE_SIZE = env.int("FEED_PAGE_SIZE", default=20)
# Whether users can upload clips: video and audio files. Workers convert them and need ffmpeg.
CLIPS_ENABLED = env.bool(
    "CLIPS_ENABLED", default=bool(shutil.which("ffmpeg") and shutil.which("ffprobe"))
)
CLIP_MAX_MB = env.int("CLIP_MAX_MB", default=60)
CLIP_MAX_SECONDS = env.int("CLIP_MAX_SECONDS", default=300)
CLIP_JOBS = env.int("CLIP_JOBS", default=1)  # number of clips that all workers convert at a time
# Megabytes that the pictures and clips of a user may take up. With 0, there is no limit.
STORAGE_QUOTA_MB = env.int("STORAGE_QUOTA_MB", default=5000)
# Whether to count views of posts, which authors see in their insights.
COUNT_VIEWS = env.bool("COUNT_VIEWS", default=True)
# How long counted events stay in memory. With 0, only ``feed.stats.flush`` writes events to the database.
STATS_FLUSH_SECONDS = env.float("STATS_FLUSH_SECONDS", default=1.0)

# Accounts are new up to this age in days. Their posts are checked for spam (``feed.services.spam_checks``).
SPAM_NEW_ACCOUNT_DAYS = env.int("SPAM_NEW_ACCOUNT_DAYS", default=7)

# --- Notifications -----------------------------------------------------------------------------
# Maximum number of open streams of the streams process. With 0, pages ask for news each minute.
LIVE_MAX_STREAMS = env.int("LIVE_MAX_STREAMS", default=10_000)
# The key for push notifications to devices. Without a key, push notifications are disabled.
WEB_PUSH_PRIVATE_KEY = env.str("WEB_PUSH_PRIVATE_KEY", default="")
WEB_PUSH_CONTACT = env.str("WEB_PUSH_CONTACT", default="")
# The server sends push messages only to these hosts, because browsers could submit the URL of any host.
WEB_PUSH_HOSTS = env.list(
    "WEB_PUSH_HOSTS",
    default=[
        "fcm.googleapis.com",
        "*.push.services.mozilla.com",
        "*.notify.windows.com",
        "web.push.apple.com",
    ],
)

# --- API (``socialsite.api.settings``) ---------------------------------------------------------
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "accounts.AccessToken"  # noqa: S105 - a model
OAUTH2_PROVIDER_APPLICATION_MODEL = "accounts.Application"
OAUTH2_PROVIDER_DEVICE_GRANT_MODEL = "accounts.DeviceGrant"
OAUTH2_PROVIDER_GRANT_MODEL = "accounts.Grant"
OAUTH2_PROVIDER_ID_TOKEN_MODEL = "accounts.IDToken"  # noqa: S105
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "accounts.RefreshToken"  # noqa: S105
OAUTH2_PROVIDER = api_settings.OAUTH2_PROVIDER | {"OIDC_ISS_ENDPOINT": SITE_URL}
# PKCE is optional: see ``socialsite.api.settings``.
SILENCED_SYSTEM_CHECKS = ["oauth2_provider.W010"]
REST_FRAMEWORK = api_settings.REST_FRAMEWORK
SPECTACULAR_SETTINGS = api_settings.SPECTACULAR_SETTINGS | {
    "TITLE": SITE_NAME,
    "SERVERS": [{"url": SITE_URL}],
}
# Allow scripts of all sites to call the API. This is safe, because the API ignores cookies.
CORS_ALLOW_ALL_ORIGINS = True
CORS_URLS_REGEX = api_settings.CORS_URLS_REGEX
CORS_ALLOW_HEADERS = api_settings.CORS_ALLOW_HEADERS
CORS_EXPOSE_HEADERS = api_settings.CORS_EXPOSE_HEADERS

# --- Monitoring --------------------------------------------------------------------------------
# The token with which Prometheus reads ``/metrics``. Without it, there is no such page.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
# The service to which exceptions are reported, without personal data (``socialsite.monitoring``).
SENTRY_DSN = env.str("SENTRY_DSN", default="")

from socialsite.logs import LOGGING  # noqa: E402, F401
