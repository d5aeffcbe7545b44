"""The model of the brand."""

from django.db import models
from django.utils.translation import gettext_lazy as _

MAX_NAME, MAX_DESCRIPTION, MAX_LANDING_TEXT = 40, 200, 2000


class Brand(models.Model):
    """The name and look of the site. There is at most one row, with the id ``ONLY_ID``.

    An empty field means the default. ``logo`` is a name from ``logos.save_logo``.
    """

    ONLY_ID = 1

    name = models.CharField(_("name"), max_length=MAX_NAME, blank=True)
    description = models.CharField(_("short description"), max_length=MAX_DESCRIPTION, blank=True)
    landing_text = models.CharField(_("landing text"), max_length=MAX_LANDING_TEXT, blank=True)
    accent = models.CharField(_("accent color"), max_length=7, blank=True)
    logo = models.CharField(_("logo"), max_length=32, blank=True)
    language = models.CharField(_("default language"), max_length=10, blank=True)

    class Meta:
        # The admin lists the brand with the rules and announcements. This app reads it, because every app
        # needs it.
        app_label = "moderation"
        verbose_name = _("branding")
        verbose_name_plural = _("branding")
        default_permissions = ("change",)

    def __str__(self) -> str:
        return self.name
