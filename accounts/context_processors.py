"""Template variables that every page uses."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from .brand.current import current_brand
from .models import User
from .user_cards import card_from_user

THEMES = ("auto", "light", "dark")


def page_context(request: HttpRequest) -> dict[str, Any]:
    brand, user = current_brand(), getattr(request, "user", None)
    theme = request.COOKIES.get("theme", "auto")
    return {
        "viewer": card_from_user(user=user) if isinstance(user, User) else None,
        "theme": theme if theme in THEMES else "auto",
        "brand": brand,
        "site_name": brand.name,
        "site_url": settings.SITE_URL,
        "sign_up_mode": settings.SIGN_UP_MODE,
        "counts_views": settings.COUNT_VIEWS,
        "has_push": bool(settings.WEB_PUSH_PRIVATE_KEY),
        "has_shortcuts": request.COOKIES.get("shortcuts") != "off",
    }
