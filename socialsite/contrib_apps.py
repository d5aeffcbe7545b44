"""Django's own apps and allauth with our ids, so that their migrations suit MongoDB."""

from allauth.account.apps import AccountConfig
from django.contrib.admin.apps import AdminConfig
from django.contrib.auth.apps import AuthConfig
from django.contrib.contenttypes.apps import ContentTypesConfig

ID_FIELD = "accounts.ids.TimeOrderedIdField"


class SiteAdminConfig(AdminConfig):
    default_auto_field = ID_FIELD


class SiteAuthConfig(AuthConfig):
    default_auto_field = ID_FIELD


class SiteContentTypesConfig(ContentTypesConfig):
    default_auto_field = ID_FIELD


class SiteAccountConfig(AccountConfig):
    default_auto_field = ID_FIELD
