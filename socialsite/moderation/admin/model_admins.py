"""The admins of posts, deliveries and users, extended for moderators.

Each of these classes replaces the admin that the app of the model registers.
"""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.admin import UserAdmin
from accounts.models import User
from feed.admin import DeliveryAdmin, PostAdmin
from feed.models import Delivery, Post
from socialsite.moderation.action_kinds import action_kind
from socialsite.moderation.models import SubjectKind
from socialsite.moderation.roles import is_allowed
from socialsite.moderation.selectors.reported_content import READ_DIRECT
from socialsite.moderation.services.actions import take_action, undo_action
from socialsite.moderation.services.recommendations import recommend_users
from socialsite.moderation.subjects import user_subject

from . import bulk_actions
from .access import can_moderate, signed_in_moderator

admin.site.unregister([Post, Delivery, User])


class ModerateLinkMixin:
    """Adds to each row a link to the case about this row. ``subject_kind`` is the kind of all rows."""

    subject_kind: str

    @admin.display(description=_("moderation"))
    def moderate_link(self, row: Any) -> str:
        url = reverse("admin:moderation_open_case") + f"?kind={self.subject_kind}&id={row.pk}"
        return format_html('<a href="{}" aria-label="{}">{}</a>', url, _("Moderate"), _("Moderate"))

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        columns: tuple[str, ...] = super().get_list_display(request)  # type: ignore[misc]
        if not can_moderate(request):
            return columns
        # The second column, which phones show without scrolling.
        return (columns[0], "moderate_link", *columns[1:])

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        return can_moderate(request)


@admin.register(Post)
class ModeratedPostAdmin(ModerateLinkMixin, PostAdmin):
    subject_kind = SubjectKind.POST
    actions = ("moderate",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Post]:
        posts = super().get_queryset(request)
        if signed_in_moderator(request).has_perm(READ_DIRECT):
            return posts
        return posts.exclude(visibility=Post.Visibility.DIRECT)

    @admin.action(description=_("Moderate…"), permissions=["moderate"])
    def moderate(self, request: HttpRequest, queryset: QuerySet[Post]) -> HttpResponseBase:
        ids = [row.pk for row in queryset[: bulk_actions.MAX_SUBJECTS + 1]]
        return bulk_actions.bulk_confirmation(request, kind=SubjectKind.POST, ids=ids)


@admin.register(Delivery)
class ModeratedDeliveryAdmin(DeliveryAdmin):
    """Lists all deliveries, but hides the texts of direct posts."""

    @admin.display(description=_("text"))
    def excerpt(self, post: Post) -> str:
        if post.visibility == Post.Visibility.DIRECT:
            return str(_("(direct post)"))
        return super().excerpt(post)

    def get_object(self, *args: Any, **kwargs: Any) -> Any:
        post = super().get_object(*args, **kwargs)
        if post is not None and post.visibility == Post.Visibility.DIRECT:
            # Hide the text in titles and in the history. This page never saves the post.
            post.text = ""
        return post


@admin.register(User)
class ModeratedUserAdmin(ModerateLinkMixin, UserAdmin):
    subject_kind = SubjectKind.USER
    actions = ("moderate", "moderate_posts", "recommend", "stop_recommending")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        names = super().get_readonly_fields(request, obj)
        can_suspend = obj is not None and is_allowed(
            moderator=signed_in_moderator(request),
            permission=action_kind("suspend").permission,
            user_id=obj.pk,
        )
        return tuple(name for name in names if name != "is_active") if can_suspend else names

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the user. If ``is_active`` changed, suspend the user or undo the suspension."""
        is_active, is_changed = obj.is_active, "is_active" in form.changed_data
        if is_changed:
            obj.is_active = not is_active  # the action below changes the status
        super().save_model(request, obj, form, change)
        # Only the users themselves can reactivate accounts that they deactivated.
        is_own_choice = not obj.suspended_at and (obj.deactivated_at or obj.erase_at)
        if not is_changed or (is_active and is_own_choice):
            return
        # This returns the action in force. Users may be inactive without an action, because the checkbox
        # once recorded none. The new action then lets the undo notify them.
        action = take_action(
            moderator=signed_in_moderator(request),
            kind="suspend",
            subject=user_subject(uid=obj.pk),
        )
        if is_active:
            undo_action(action=action, moderator=signed_in_moderator(request))

    @admin.action(description=_("Moderate…"), permissions=["moderate"])
    def moderate(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase:
        ids = [row.pk for row in queryset[: bulk_actions.MAX_SUBJECTS + 1]]
        return bulk_actions.bulk_confirmation(request, kind=SubjectKind.USER, ids=ids)

    @admin.action(
        description=_("Moderate their posts of the last 24 hours…"), permissions=["moderate"]
    )
    def moderate_posts(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase:
        uids = [user.pk for user in queryset[: bulk_actions.MAX_USERS]]
        return bulk_actions.bulk_confirmation(
            request, kind=SubjectKind.POST, ids=bulk_actions.recent_post_ids(uids=uids)
        )

    @admin.action(description=_("Recommend to other users"), permissions=["moderate"])
    def recommend(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._set_recommended(request, queryset, is_recommended=True)

    @admin.action(description=_("Stop recommending"), permissions=["moderate"])
    def stop_recommending(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        self._set_recommended(request, queryset, is_recommended=False)

    def _set_recommended(
        self, request: HttpRequest, queryset: QuerySet[User], *, is_recommended: bool
    ) -> None:
        count = recommend_users(
            moderator=signed_in_moderator(request),
            uids=[user.pk for user in queryset[: bulk_actions.MAX_SUBJECTS]],
            is_recommended=is_recommended,
        )
        text = ngettext("%(count)s user changed.", "%(count)s users changed.", count)
        messages.success(request, text % {"count": count})
