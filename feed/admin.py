"""Posts for moderators: listed newest first, searched by author or id, removed as on the site."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.ids import MAX_ID
from accounts.listing import NewestFirstAdmin
from accounts.models import User
from accounts.user_cards import UserCard, card, cards

from . import services
from .models import Post

SEARCHED = 20_000
"""Words are looked for by reading: a bounded number of posts."""


@admin.register(Post)
class PostAdmin(NewestFirstAdmin):
    list_display = ("excerpt", "author_name", "created_at", "delivery_state")
    search_fields = ("text",)
    search_help_text = _(
        "A post's number, @name of its author, or words of one of the newest 20,000 texts"
    )
    fields = ("author_name", "text", "created_at", "delivery_state", "delivery_at")
    readonly_fields = fields

    @admin.display(description=_("text"))
    def excerpt(self, post: Post) -> str:
        return post.text if len(post.text) <= 100 else post.text[:99] + "…"

    @admin.display(description=_("author"))
    def author_name(self, post: Post) -> str:
        author: UserCard | None = (
            post.author_card if hasattr(post, "author_card") else card(uid=post.author_id)
        )
        return f"@{author.username}" if author else str(post.author_id)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        changelist = super().get_changelist_instance(request)
        known = cards(uids=[post.author_id for post in changelist.result_list])
        for post in changelist.result_list:
            post.author_card = known.get(post.author_id)
        return changelist

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Post], search_term: str
    ) -> tuple[QuerySet[Post], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        if term.isascii() and term.isdigit() and int(term) <= MAX_ID:
            return queryset.filter(pk=int(term)), False
        if term.startswith("@"):
            author = User.objects.filter(username=term[1:].lower()).values_list("pk", flat=True)
            return queryset.filter(author_id__in=list(author[:1])), False
        oldest = Post.objects.order_by("-pk").values_list("pk", flat=True)[SEARCHED - 1 : SEARCHED]
        return queryset.filter(pk__gte=next(iter(oldest), 0), text__icontains=term), False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) or self.has_delete_permission(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # a post is its author's words: read it or remove it

    def delete_model(self, request: HttpRequest, obj: Post) -> None:
        services.delete_post(post_id=obj.pk, actor=_moderator(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Post]) -> None:
        for post_id in queryset.values_list("pk", flat=True):
            services.delete_post(post_id=post_id, actor=_moderator(request))


def _moderator(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the admin lets nobody else in
    return request.user
