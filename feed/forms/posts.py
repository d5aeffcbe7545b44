"""Forms to write and edit a post."""

from copy import deepcopy
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.forms import SingleLineField
from feed.activities import activity_kind
from feed.models import MAX_CONTENT_WARNING, Post
from feed.services.posts import mentioned_without_access
from feed.text.languages import language_choices, language_name

from .pictures import PicturesForm
from .text import TextForm

PUBLISH_FIELDS = (
    "text",
    "idempotency_key",
    "visibility",
    "reply_policy",
    "content_warning",
    "language",
    "kind",
    "details",
)


class ReplyPolicyForm(forms.Form):
    reply_policy = forms.ChoiceField(
        label=_("Who can comment"),
        choices=Post.ReplyPolicy.choices,
        initial=Post.ReplyPolicy.EVERYONE,
        required=False,
    )

    def clean_reply_policy(self) -> str:
        default: str = self.initial.get("reply_policy", Post.ReplyPolicy.EVERYONE)
        return self.cleaned_data["reply_policy"] or default


class LanguageField(forms.ChoiceField):
    """The language of a post. If empty, the language is guessed from the text."""

    def __init__(self) -> None:
        choices = [("", _("Language: automatic")), *language_choices()]
        super().__init__(label=_("Language"), choices=choices, required=False)

    def offer(self, code: str) -> None:
        """Add a language that an app chose and that pages do not offer."""
        if code not in dict(self.choices):
            self.choices = [*self.choices, (code, language_name(code))]


class ContentWarningField(SingleLineField):
    """The content warning of a post. If empty, pages show the post at once."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Content warning"),
            max_length=MAX_CONTENT_WARNING,
            required=False,
            help_text=_("People see only this text until they open the post."),
        )


class PostEditForm(TextForm, ReplyPolicyForm):
    """Edit a post. ``requires_text`` is True if the post has no content besides the text."""

    content_warning = ContentWarningField()
    language = LanguageField()

    def __init__(self, *args: Any, requires_text: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].required = requires_text
        self.fields["language"].offer(self.initial.get("language", ""))


class PostForm(PicturesForm, ReplyPolicyForm):
    """Write a post of an activity kind, with the fields of that kind."""

    content_warning = ContentWarningField()
    language = LanguageField()
    visibility = forms.ChoiceField(
        label=_("Who can see this post"),
        choices=Post.Visibility.choices,
        initial=Post.Visibility.PUBLIC,
        required=False,
    )

    confirm_unreached = forms.BooleanField(required=False)

    def __init__(self, *args: Any, kind: str = "note", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"].offer(self.initial.get("language", ""))
        self.has_unreached_mentions = False
        self.kind = activity_kind(kind)
        self.fields.update(deepcopy(self.kind.fields))
        self.requires_text = not self.kind.fields

    def kind_fields(self) -> list[forms.BoundField]:
        """Return the additional fields of the activity kind, for the template."""
        return [self[name] for name in self.kind.fields]

    def clean_language(self) -> str:
        """Return the chosen language, "" for automatic. The short composer may not send the field."""
        is_sent = "language" in self.data
        return str(self.cleaned_data["language"] if is_sent else self.initial.get("language", ""))

    def clean_visibility(self) -> str:
        default: str = self.initial.get("visibility", Post.Visibility.PUBLIC)
        return self.cleaned_data["visibility"] or default

    def clean(self) -> dict[str, Any]:
        """Return the keyword arguments for ``services.posts.publish_post``, except the pictures."""
        cleaned = super().clean()
        names = mentioned_without_access(
            author=self._owner,
            text=cleaned.get("text", ""),
            visibility=cleaned.get("visibility", Post.Visibility.PUBLIC),
        )
        if names and not cleaned.get("confirm_unreached"):
            self.has_unreached_mentions = True
            message = ngettext(
                "%(names)s does not follow you and will not see this post.",
                "%(names)s do not follow you and will not see this post.",
                len(names),
            )
            self.add_error("text", message % {"names": ", ".join(f"@{name}" for name in names)})
        if not self.errors:
            cleaned |= {"kind": self.kind.name, "details": self.kind.clean_details(cleaned)}
        return {name: cleaned[name] for name in cleaned if name in PUBLISH_FIELDS}
