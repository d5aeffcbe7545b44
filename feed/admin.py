"""Admin pages for moderators: search and delete posts, watch and retry deliveries."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from accounts.admin import UserNamesAdmin, name_of
from accounts.infra.cursors import parse_id
from accounts.models import User
from feed.services.posts import delete_post

from . import tasks
from .models import Delivery, Post
from .store.text_search import post_ids_containing
from .timeline.progress import progress_of_post, unfinished_post_ids

SEARCHED_POSTS = 20_000
"""A search for words examines this many of the newest posts."""

MAX_RESULTS = 1000


class BasePostAdmin(UserNamesAdmin):
    """A list of posts with their authors' names."""

    uid_fields = ("author_id",)

    @admin.display(description=_("text"))
    def excerpt(self, post: Post) -> str:
        if post.share_of is not None:
            return str(_("Shares post %(number)s") % {"number": post.share_of})
        return post.text if len(post.text) <= 100 else post.text[:99] + "…"

    @admin.display(description=_("author"))
    def author_name(self, post: Post) -> str:
        return name_of(post, post.author_id)


@admin.register(Post)
class PostAdmin(BasePostAdmin):
    forbidden = (
        "add",
        "change",
    )  # moderators may read and delete posts, but never edit a user's text
    list_display = ("excerpt", "author_name", "created_at", "visibility", "delivery_state")
    search_fields = ("text",)
    search_help_text = _(
        "Search by post ID, author's @username, or words in the newest 20,000 posts"
    )
    fields = ("author_name", "text", "visibility", "created_at", "edited_at", "delivery_state")
    readonly_fields = fields

    def find_rows(self, queryset: QuerySet[Post], term: str) -> QuerySet[Post]:
        if (number := parse_id(term)) is not None:
            return queryset.filter(pk=number)
        if term.startswith("@"):
            return super().find_rows(queryset, term)
        post_ids = post_ids_containing(text=term, newest_count=SEARCHED_POSTS, limit=MAX_RESULTS)
        return queryset.filter(pk__in=post_ids)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) or self.has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: Post) -> None:
        delete_post(post_id=obj.pk, actor=_moderator(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        for post_id in queryset.values_list("pk", flat=True):
            delete_post(post_id=post_id, actor=_moderator(request))


class DeliveryStateFilter(admin.SimpleListFilter):
    """Filter deliveries by state. The default shows unfinished deliveries."""

    title = _("delivery")
    parameter_name = "state"
    UNFINISHED = _("Unfinished")

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            (Post.DeliveryState.PENDING, _("In progress")),
            (Post.DeliveryState.FAILED, _("Failed")),
            ("all", pgettext_lazy("deliveries", "All")),
        ]

    def choices(self, changelist: Any) -> Iterator[Any]:
        unfinished, *others = super().choices(changelist)
        yield {**unfinished, "display": self.UNFINISHED}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "all":
            return queryset
        return queryset.filter(pk__in=unfinished_post_ids(state=self.value()))


@admin.register(Delivery)
class DeliveryAdmin(BasePostAdmin):
    """A read-only list of deliveries. Moderators who may change or delete posts can retry deliveries."""

    forbidden = ("add", "delete")  # moderators delete posts in ``PostAdmin``
    list_display = (
        "excerpt",
        "author_name",
        "created_at",
        "delivery_state",
        "delivered_to",
        "attempts",
        "delivery_error",
        "next_attempt",
    )
    list_filter = (DeliveryStateFilter,)
    fields = list_display
    readonly_fields = fields
    actions = ("retry",)

    @admin.display(description=_("delivered to"))
    def delivered_to(self, post: Post) -> str:
        progress = progress_of_post(post=post)
        return str(
            _("%(reached)s of %(people)s")
            % {
                "reached": number_format(progress.reached, force_grouping=True),
                "people": number_format(progress.audience_size, force_grouping=True),
            }
        )

    @admin.display(description=_("failed attempts"))
    def attempts(self, post: Post) -> int:
        return post.delivery_attempts

    @admin.display(description=_("next attempt"), empty_value="")
    def next_attempt(self, post: Post) -> Any:
        return post.delivery_due_at if post.delivery_state == Post.DeliveryState.PENDING else None

    @admin.action(description=_("Retry"), permissions=["change"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        unfinished = queryset.exclude(delivery_state=Post.DeliveryState.DONE)
        self._retry_deliveries(request, list(unfinished.values_list("pk", flat=True)))

    def save_model(self, request: HttpRequest, obj: Delivery, form: Any, change: bool) -> None:
        """Retry the delivery. All fields are read-only, so there is nothing to save."""
        unfinished = obj.delivery_state != Post.DeliveryState.DONE
        self._retry_deliveries(request, [obj.pk] if unfinished else [])

    def construct_change_message(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> Any:
        return "Retried."

    def response_change(self, request: HttpRequest, obj: Delivery) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:feed_delivery_changelist"))

    def _retry_deliveries(self, request: HttpRequest, post_ids: list[int]) -> None:
        tasks.retry_deliveries(post_ids=post_ids)
        text = ngettext(
            "%(count)s delivery will be retried.",
            "%(count)s deliveries will be retried.",
            len(post_ids),
        )
        self.message_user(request, text % {"count": len(post_ids)}, messages.SUCCESS)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _moderator(request).has_perm("feed.view_post") or self.has_change_permission(
            request, obj
        )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        moderator = _moderator(request)
        return any(moderator.has_perm(f"feed.{action}_post") for action in ("change", "delete"))


def _moderator(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the admin requires a login
    return request.user
