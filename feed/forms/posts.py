"""A post, while it is written and when it is changed."""

from copy import deepcopy
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.forms import NameField
from feed import services
from feed.activities import activity
from feed.models import MAX_WARNING, Post

from .pictures import PicturesForm
from .words import EditForm

PUBLISHED = ("text", "key", "visibility", "replies", "warning", "kind", "details")


class RepliesForm(forms.Form):
    replies = forms.ChoiceField(
        label=_("Who may comment"),
        choices=Post.Replies.choices,
        initial=Post.Replies.EVERYONE,
        required=False,
    )

    def clean_replies(self) -> str:
        before: str = self.initial.get("replies", Post.Replies.EVERYONE)
        return self.cleaned_data["replies"] or before


class WarningField(NameField):
    """What readers see of a post until they want to see the rest; "": they see all of it at once."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Warning"),
            max_length=MAX_WARNING,
            required=False,
            help_text=_("The rest of the post is hidden behind these words."),
        )


class PostEditForm(EditForm, RepliesForm):
    """``needs_words``: there is nothing else in the post."""

    warning = WarningField()

    def __init__(self, *args: Any, needs_words: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].required = needs_words


class PostForm(PicturesForm, RepliesForm):
    """A post of a ``kind`` of activity, with that kind's fields."""

    warning = WarningField()
    visibility = forms.ChoiceField(
        label=_("Who may read it"),
        choices=Post.Visibility.choices,
        initial=Post.Visibility.PUBLIC,
        required=False,
    )

    unreached = forms.BooleanField(required=False)

    def __init__(self, *args: Any, kind: str = "note", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.misses_readers = False
        self.kind = activity(kind)
        self.fields.update(deepcopy(self.kind.fields))
        self.needs_words = not self.kind.fields

    def of_kind(self) -> list[forms.BoundField]:
        """For the template: the fields of this kind."""
        return [self[name] for name in self.kind.fields]

    def clean_visibility(self) -> str:
        return self.cleaned_data["visibility"] or Post.Visibility.PUBLIC

    def clean(self) -> dict[str, Any]:
        """What ``services.publish_post`` wants to know, but for the pictures."""
        cleaned = super().clean()
        names = services.mentioned_without_access(
            author=self._owner,
            text=cleaned.get("text", ""),
            visibility=cleaned.get("visibility", Post.Visibility.PUBLIC),
        )
        if names and not cleaned.get("unreached"):
            self.misses_readers = True
            words = ngettext(
                "%(names)s does not follow you and will not see this post.",
                "%(names)s do not follow you and will not see this post.",
                len(names),
            )
            self.add_error("text", words % {"names": ", ".join(f"@{name}" for name in names)})
        if not self.errors:
            cleaned |= {"kind": self.kind.name, "details": self.kind.details(cleaned)}
        return {name: cleaned[name] for name in cleaned if name in PUBLISHED}
