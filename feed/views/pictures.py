"""The pictures of posts. Who knows the address may see them: it cannot be guessed, and only those who may
read a post are told it."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.pictures import response
from accounts.views.pictures import A_YEAR
from feed import pictures


@require_safe
@cache_control(public=True, max_age=A_YEAR, immutable=True)
def picture(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    return response(path=pictures.path(name=name, size=size))
