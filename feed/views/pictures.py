"""The pictures of posts. Whoever has the address of a public one may see it; others need a signed address,
which only readers of the post are shown."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from accounts.paging import id_in
from accounts.pictures import response
from accounts.views.pictures import A_YEAR
from feed import pictures, selectors


@require_safe
def picture(request: HttpRequest, name: str, size: str) -> HttpResponseBase:
    until, key = id_in(request.GET.get("until", "")), request.GET.get("key", "")
    signed_for = selectors.picture_signed_for(name=name)
    if signed_for is None:
        caching = {"public": True, "max_age": A_YEAR, "immutable": True}
    elif seconds := pictures.seconds_left(name=name, signed_for=signed_for, until=until, key=key):
        caching = {"private": True, "max_age": seconds}
    else:
        raise Http404("No such picture.")
    answer = response(path=pictures.path(name=name, size=size))
    patch_cache_control(answer, **caching)
    return answer
