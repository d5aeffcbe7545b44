"""The first page of the admin: what there is to do, and how the site fares."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils.translation import gettext as _

from socialsite.moderation.selectors import overview
from socialsite.moderation.selectors.overview import MOST_MADE

from .asking import may_moderate
from .charts import chart


def dashboard(request: HttpRequest) -> dict[str, Any]:
    """For the template; empty for those who do not work on cases."""
    if isinstance(request.user, AnonymousUser) or not may_moderate(request):
        return {}
    found = overview()
    charts = [
        chart(
            id="joined",
            title=_("New accounts a day"),
            counted=found.joined,
            most=MOST_MADE,
            form="j M",
        ),
        chart(
            id="posted",
            title=_("Posts an hour"),
            counted=found.posted,
            most=MOST_MADE,
            form="j M, H:i",
        ),
    ]
    lists = [
        (_("Newest cases"), [(one, found.names[one.person]) for one in found.newest]),
        (_("Most reported"), [(one, found.names[one.person]) for one in found.most_reported]),
    ]
    return {"overview": found, "charts": charts, "case_lists": lists}
