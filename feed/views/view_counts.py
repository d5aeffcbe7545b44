"""Count views of posts in timelines.

A script sends the ids of posts that scroll into view. Lists of posts contain a token for the logged-in
viewer, so that the script needs no cookies and the request no database command. Without JavaScript, the
browser loads an invisible picture whose URL contains the ids of all posts on the page.
"""

from django.core.signing import BadSignature
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.infra.cursors import parse_id
from accounts.infra.viewer_keys import viewer_key
from accounts.viewer import viewer_id
from feed.selectors.visible_posts import visible_post_ids
from feed.services import view_counts

MAX_POSTS = 40
TRANSPARENT_GIF = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c000000000100010000020144003b"
)


@csrf_exempt  # requests change no data of the viewer, and requests from other sites are ignored
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def count_views(request: HttpRequest) -> HttpResponse:
    """Count views of the posts in the parameter ``posts``, up to 40 comma-separated ids.

    Each of up to 40 parameters ``page`` is a token of ``sign_shown_posts``. The views are those of the user
    in the token, and only of the posts that it names.

    A GET request returns a transparent picture, and a POST request returns an empty response.
    """
    data = request.POST if request.method == "POST" else request.GET
    ids = [parse_id(text) for text in data.get("posts", "").split(",", MAX_POSTS)]
    post_ids = {post_id for post_id in ids if post_id is not None}
    tokens = data.getlist("page")
    if len(post_ids) < len(ids) or len(tokens) > MAX_POSTS:
        return HttpResponseBadRequest()
    is_same_site = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    if request.method == "HEAD" or not is_same_site:
        pass
    elif tokens:
        try:
            view_counts.count_shown_posts(tokens=tokens, post_ids=post_ids)
        except BadSignature:
            return HttpResponseBadRequest()
    elif visitor := viewer_key(request):
        visible = visible_post_ids(ids=post_ids, viewer=viewer_id(request))
        view_counts.count_views(post_ids=visible, viewer_key=visitor)
    if request.method == "POST":
        return HttpResponse(status=204)
    return HttpResponse(TRANSPARENT_GIF, content_type="image/gif")
