"""The registry of moderation actions: a class for each kind, with methods to apply and undo it.

To add a kind, write its class here with ``@register``. ``apply`` and ``undo`` must be idempotent, because
they run again after an interruption. They must derive the new state from all actions in force, not from the
latest action alone, so that moderators can undo actions in any order.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.profile_pictures import AVATAR, HEADER, PictureKind
from accounts.services.account_status import suspend_user, unsuspend_user
from accounts.services.moderation import (
    hide_profile_picture,
    picture_name,
    reset_name,
    restore_name,
    restore_profile_picture,
    set_limited,
    user_names,
)
from accounts.usernames import is_placeholder
from feed.models import Post
from feed.services.moderation import (
    VISIBLE,
    hide_comment,
    restore_comment,
    set_post_hidden,
    set_post_sensitive,
)

from .models import Action, SubjectKind
from .subjects import Subject, subject_from_record

UNDO_PERIOD = timedelta(days=30)
"""After this period, removed content is deleted."""

USER, POST, COMMENT = SubjectKind.USER, SubjectKind.POST, SubjectKind.COMMENT
STATES_IN_FORCE = (Action.State.APPLYING, Action.State.IN_FORCE, Action.State.FINAL)


class ActionKind:
    """Base class of the kinds of actions.

    Attributes:
        label: text of the button.
        results: a sentence for the affected user, for each kind of subject that the action is for.
        permission: the permission that the moderator needs in addition to ``moderation.moderate``.
        is_strike: whether the action counts against the user unless the moderator decides otherwise.
        can_repeat: whether the action may be taken again while it is in force. For other actions,
            ``has_replacement`` decides.
        should_delete_content: whether the content is deleted after ``UNDO_PERIOD``.
        undo_label: text of the undo button, or "" for the word "Undo" with ``label``.
    """

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    results: ClassVar[dict[str, str | Promise]]
    permission: ClassVar[str] = "moderation.moderate"
    is_strike: ClassVar[bool] = True
    can_expire: ClassVar[bool] = True
    can_repeat: ClassVar[bool] = False
    should_delete_content: ClassVar[bool] = False
    undo_label: ClassVar[str | Promise] = ""

    def undo_data(self, subject: Subject) -> dict[str, Any] | None:
        """Return the data that ``undo`` needs. The data is stored with the action."""
        return None

    def has_replacement(self, subject: Subject) -> bool:
        """Return whether the user has replaced what the action in force removed."""
        return False

    def apply(self, action: Action) -> None:
        raise NotImplementedError

    def undo(self, action: Action) -> None:
        raise NotImplementedError


_registered: dict[str, ActionKind] = {}


def register(kind: type[ActionKind]) -> type[ActionKind]:
    _registered[kind.name] = kind()
    return kind


def action_kind(name: str) -> ActionKind:
    """Return the kind with this name. Raises KeyError if there is none."""
    return _registered[name]


def action_kinds_for(*, subject_kind: str) -> list[ActionKind]:
    return [kind for kind in _registered.values() if subject_kind in kind.results]


def kinds_in_force(*, subject: Subject) -> set[str]:
    """Return the names of the kinds of all actions in force against the subject."""
    actions = Action.objects.filter(
        subject=subject.id, subject_kind=subject.kind, state__in=STATES_IN_FORCE
    )
    return set(actions.values_list("kind", flat=True))


def _apply_kinds_in_force(subject: Subject, apply_kinds: Callable[[set[str]], object]) -> None:
    """Call ``apply_kinds`` with the kinds in force, again if they changed meanwhile.

    Otherwise the slower of two moderators could write an older state last.
    """
    applied_kinds: set[str] | None = None
    while (kinds := kinds_in_force(subject=subject)) != applied_kinds:
        apply_kinds(kinds)
        applied_kinds = kinds


def _later_undo_data(action: Action) -> list[dict[str, Any]]:
    """Return the undo data of the later actions of this kind against the user.

    Such data shows what the user chose after ``action``. Undoing ``action`` must not replace it.
    """
    later = Action.objects.filter(user_id=action.user_id, kind=action.kind, pk__gt=action.pk)
    return [before or {} for before in later.values_list("before", flat=True)]


class _ContentActionKind(ActionKind):
    """Base class of actions on posts and comments. ``hidden_state``: as in ``Post.hidden``."""

    hidden_state: ClassVar[str] = VISIBLE

    def apply(self, action: Action) -> None:
        apply_content_state(subject_from_record(record=action))

    def undo(self, action: Action) -> None:
        apply_content_state(subject_from_record(record=action), undone_state=self.hidden_state)


def apply_content_state(subject: Subject, *, undone_state: str = VISIBLE) -> None:
    """Make the post or comment visible, hidden or sensitive, depending on the actions in force.

    ``undone_state``: as for ``set_post_hidden``.
    """

    def apply_kinds(kinds: set[str]) -> None:
        if subject.kind == COMMENT:
            apply_state = hide_comment if "remove" in kinds else restore_comment
            apply_state(post_id=subject.post_id, comment_id=subject.id)
            return
        hidden = VISIBLE
        if "remove" in kinds:
            hidden = Post.Hidden.REMOVED
        elif "hold" in kinds:
            hidden = Post.Hidden.PENDING
        set_post_hidden(post_id=subject.id, state=hidden, undone_state=undone_state)
        set_post_sensitive(post_id=subject.id, is_sensitive="sensitive" in kinds)

    _apply_kinds_in_force(subject, apply_kinds)


@register
class Remove(_ContentActionKind):
    name, label = "remove", pgettext_lazy("moderation", "Remove")
    results = {POST: _("Your post was removed"), COMMENT: _("Your comment was removed")}
    should_delete_content = True
    hidden_state = Post.Hidden.REMOVED


@register
class MarkSensitive(_ContentActionKind):
    name, label = "sensitive", _("Mark as sensitive")
    results = {POST: _("Your post was marked as sensitive")}
    is_strike = False


@register
class RequireReview(_ContentActionKind):
    name, label, undo_label = "hold", _("Hold for review"), _("Approve post")
    results = {POST: _("Your post is hidden until a moderator reviews it")}
    is_strike = False
    hidden_state = Post.Hidden.PENDING


@register
class Warn(ActionKind):
    """Notifies the user, and may count as a strike."""

    name, label = "warn", _("Warn")
    results = {
        USER: _("You were given a warning"),
        POST: _("You were given a warning for your post"),
        COMMENT: _("You were given a warning for your comment"),
    }
    can_expire, can_repeat = False, True

    def apply(self, action: Action) -> None:
        """Change nothing, because every action notifies the user anyway."""

    undo = apply


@register
class Limit(ActionKind):
    name, label = "limit", _("Limit to followers")
    results = {USER: _("Your account was limited to your followers")}

    def apply(self, action: Action) -> None:
        _apply_kinds_in_force(
            subject_from_record(record=action),
            lambda kinds: set_limited(uid=action.user_id, is_limited="limit" in kinds),
        )

    undo = apply


@register
class Suspend(ActionKind):
    name, label, permission = "suspend", _("Suspend"), "moderation.suspend"
    results = {USER: _("Your account was suspended")}

    def apply(self, action: Action) -> None:
        _apply_kinds_in_force(
            subject_from_record(record=action),
            lambda kinds: (suspend_user if "suspend" in kinds else unsuspend_user)(
                uid=action.user_id
            ),
        )

    undo = apply


@register
class ResetUsername(ActionKind):
    """Replaces the username. Undoing restores the old name unless another user has taken this name.

    Undoing restores nothing if the user has chosen another name meanwhile.
    """

    name, label, permission = "rename", _("Reset username"), "moderation.suspend"
    results = {USER: _("Your account was given a new username")}
    can_expire = False

    def undo_data(self, subject: Subject) -> dict[str, Any] | None:
        return user_names(uid=subject.id)

    def has_replacement(self, subject: Subject) -> bool:
        names = user_names(uid=subject.id)
        return bool(names.get("display_name")) or _has_chosen_username(names, subject.id)

    def apply(self, action: Action) -> None:
        reset_name(uid=action.user_id)

    def undo(self, action: Action) -> None:
        uid = action.user_id
        if not any(_has_chosen_username(names, uid) for names in _later_undo_data(action)):
            restore_name(uid=uid, **(action.before or {}))


def _has_chosen_username(names: dict[str, Any], uid: int) -> bool:
    username = names.get("username", "")
    return bool(username) and not is_placeholder(username=username, uid=uid)


class _PictureActionKind(ActionKind):
    """Base class of actions on the pictures of a profile."""

    picture_kind: ClassVar[PictureKind]
    can_expire = False

    def undo_data(self, subject: Subject) -> dict[str, Any] | None:
        field = self.picture_kind.field
        return {field: picture_name(kind=self.picture_kind, uid=subject.id)}

    def has_replacement(self, subject: Subject) -> bool:
        return picture_name(kind=self.picture_kind, uid=subject.id) != ""

    def apply(self, action: Action) -> None:
        name = (action.before or {})[self.picture_kind.field]
        hide_profile_picture(kind=self.picture_kind, uid=action.user_id, name=name)

    def undo(self, action: Action) -> None:
        field = self.picture_kind.field
        if any(before.get(field) for before in _later_undo_data(action)):
            return
        name = (action.before or {})[field]
        restore_profile_picture(kind=self.picture_kind, uid=action.user_id, name=name)


@register
class RemoveAvatar(_PictureActionKind):
    name, label = "avatar", _("Remove profile picture")
    results = {USER: _("Your profile picture was removed")}
    picture_kind = AVATAR


@register
class RemoveHeader(_PictureActionKind):
    name, label = "header", _("Remove header picture")
    results = {USER: _("Your header picture was removed")}
    picture_kind = HEADER


KINDS_DELETING_CONTENT = [name for name, kind in _registered.items() if kind.should_delete_content]
