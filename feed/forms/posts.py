"""Forms to write and edit a post."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.forms import SingleLineField
from accounts.infra.name_lists import join_names
from feed.activities import Details, activity_kind
from feed.models import MAX_CONTENT_WARNING, Post
from feed.poll_details import is_over
from feed.selectors.pages import PostView
from feed.services.pictures import warning_for_media
from feed.services.posts import mentioned_without_access
from feed.text.languages import language_choices, language_name

from .drafts import LaterForm
from .pictures import PicturesForm

PUBLISH_FIELDS = (
    "text",
    "idempotency_key",
    "visibility",
    "reply_policy",
    "quote_policy",
    "content_warning",
    "language",
    "kind",
    "details",
)


POST_WARNING_HELP = _("People see only this text until they open the post.")
EDIT_FIELDS = ("text", "content_warning", "reply_policy", "quote_policy", "language")


def unreached_message(names: list[str]) -> str:
    """Return the question about mentioned users who could not read the post."""
    message = ngettext(
        "%(names)s does not follow you and will not see this post.",
        "%(names)s do not follow you and will not see this post.",
        len(names),
    )
    return message % {"names": join_names(names, prefix="@")}


class PoliciesForm(forms.Form):
    """Who may comment on a post, and who may quote it."""

    reply_policy = forms.ChoiceField(
        label=_("Who can comment"),
        choices=Post.ReplyPolicy.choices,
        initial=Post.ReplyPolicy.EVERYONE,
        required=False,
    )
    quote_policy = forms.ChoiceField(
        label=_("Who can quote"),
        choices=Post.QuotePolicy.choices,
        initial=Post.QuotePolicy.EVERYONE,
        required=False,
    )

    def clean_reply_policy(self) -> str:
        default: str = self.initial.get("reply_policy", Post.ReplyPolicy.EVERYONE)
        return self.cleaned_data["reply_policy"] or default

    def clean_quote_policy(self) -> str:
        default: str = self.initial.get("quote_policy", Post.QuotePolicy.EVERYONE)
        return self.cleaned_data["quote_policy"] or default


class LanguageForm(forms.Form):
    """The language of a post. If empty, the language is guessed from the text."""

    language = forms.ChoiceField(
        label=_("Language"),
        choices=[("", _("Language: automatic")), *language_choices()],
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["language"]
        code = self.initial.get("language", "")
        if code not in dict(field.choices):
            # An app chose a language that pages do not offer.
            field.choices = [*field.choices, (code, language_name(code))]

    def clean_language(self) -> str:
        """Return the chosen language, "" for automatic. The short composer may not send the field."""
        is_sent = "language" in self.data
        return str(self.cleaned_data["language"] if is_sent else self.initial.get("language", ""))


class ContentWarningField(SingleLineField):
    """The content warning of a post or comment. If empty, pages show the content at once."""

    def __init__(self, *, help_text: Any = POST_WARNING_HELP) -> None:
        super().__init__(
            label=_("Content warning"),
            max_length=MAX_CONTENT_WARNING,
            required=False,
            help_text=help_text,
        )


class PostEditForm(PicturesForm, LanguageForm, PoliciesForm):
    """Edit the text, the content warning, the policies and the pictures of a post."""

    content_warning = ContentWarningField()

    def __init__(self, *args: Any, post: PostView, **kwargs: Any) -> None:
        initial = {name: getattr(post, name) for name in EDIT_FIELDS}
        super().__init__(*args, initial=initial, post=post, **kwargs)
        kind = activity_kind(post.kind)
        self.requires_text = kind.requires_text
        self.fields["text"].required = kind.is_question
        self.kind = kind
        # Only polls can be changed. A form without choices leaves the poll as it is.
        self.has_poll = kind.is_question and (not self.is_bound or "choice_1" in self.data)
        self.old_poll = post.details
        if self.has_poll:
            self.initial = {**self.initial, **kind.field_values(post.details)}
            self.fields.update(kind.form_fields(self.initial))
            if not is_over(post.details):
                field: Any = self.fields["duration"]
                unchanged = _("Unchanged: %(time)s left") % {
                    "time": post.poll and post.poll.time_left
                }
                field.choices = [("", unchanged), *field.choices]
                field.required, field.initial, field.empty_value = False, "", None

    def poll_fields(self) -> list[forms.BoundField]:
        """Return the fields of the poll, for the template. Empty if the post has no poll."""
        return [self[name] for name in self.kind.fields] if self.has_poll else []

    def clean(self) -> dict[str, Any]:
        """Return the keyword arguments for ``services.posts.edit_post``, except the pictures."""
        cleaned = super().clean()
        arguments = {name: cleaned[name] for name in EDIT_FIELDS if name in cleaned}
        if self.has_poll and not self.errors:
            arguments["poll"] = self._changed_poll(cleaned)
        return arguments

    def _changed_poll(self, cleaned: dict[str, Any]) -> Details:
        is_extended = cleaned["duration"] is not None
        values = cleaned if is_extended else {**cleaned, "duration": 0}
        poll = self.kind.clean_details(values)
        return poll if is_extended else {**poll, "ends_at": self.old_poll["ends_at"]}


class PostForm(PicturesForm, LanguageForm, PoliciesForm, LaterForm):
    """Write a post of an activity kind, with the fields of that kind."""

    content_warning = ContentWarningField()
    visibility = forms.ChoiceField(
        label=_("Who can see this post"),
        choices=Post.Visibility.choices,
        initial=Post.Visibility.PUBLIC,
        required=False,
    )

    confirm_unreached = forms.BooleanField(required=False)
    # Only in the form of users who hide their media by default, so that they can show those of one post.
    is_media_sensitive = forms.BooleanField(
        label=_("Hide behind a warning"), required=False, initial=False
    )

    def __init__(self, *args: Any, kind: str = "note", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.has_unreached_mentions = False
        self.kind = activity_kind(kind)
        self.fields.update(self.kind.form_fields(self.initial))
        self.kind_values: dict[str, Any] = {}
        self.requires_text = self.kind.requires_text and not self.is_draft
        self.fields["text"].required = self.kind.is_question
        if self.is_draft:
            for name in ("text", *self.kind.fields):
                self.fields[name].required = False

    def kind_fields(self) -> list[forms.BoundField]:
        """Return the additional fields of the activity kind, for the template."""
        return [self[name] for name in self.kind.fields]

    def clean_visibility(self) -> str:
        default: str = self.initial.get("visibility", Post.Visibility.PUBLIC)
        return self.cleaned_data["visibility"] or default

    def clean(self) -> dict[str, Any]:
        """Return the keyword arguments for ``services.posts.publish_post``, except the pictures."""
        cleaned = super().clean()
        if "content_warning" in cleaned:
            cleaned["content_warning"] = warning_for_media(
                content_warning=cleaned["content_warning"],
                is_sensitive=cleaned["is_media_sensitive"],
                has_media=bool(self.saved_pictures or self.new_uploads),
            )
        self.kind_values = {name: cleaned[name] for name in self.kind.fields if name in cleaned}
        if self.is_draft:
            self._check_draft(cleaned)
            return {name: cleaned[name] for name in cleaned if name in PUBLISH_FIELDS}
        names = mentioned_without_access(
            author=self.owner_uid,
            text=cleaned.get("text", ""),
            visibility=cleaned.get("visibility", Post.Visibility.PUBLIC),
        )
        if names and not cleaned.get("confirm_unreached"):
            self.has_unreached_mentions = True
            self.add_error("text", unreached_message(names))
        if not self.errors:
            cleaned |= {"kind": self.kind.name, "details": self.kind.clean_details(cleaned)}
        return {name: cleaned[name] for name in cleaned if name in PUBLISH_FIELDS}

    def _check_draft(self, cleaned: dict[str, Any]) -> None:
        self.needs_descriptions = False
        # The choices of a kind, such as the duration of a poll, always have a value.
        written = (cleaned.get(name) for name in ("text", "content_warning", *self.kind.fields))
        has_pictures = self.saved_pictures or self.new_uploads
        if not (has_pictures or any(isinstance(value, str) and value for value in written)):
            self.add_error("text", self.fields["text"].error_messages["required"])

    def draft_arguments(self, *, quoted: PostView | None) -> dict[str, Any]:
        """Return the arguments of ``services.drafts.save_draft``. Only for a valid form."""
        names = ("visibility", *EDIT_FIELDS)
        return {name: self.cleaned_data[name] for name in names} | {
            "kind": self.kind.name,
            "values": self.kind_values,
            "quoted_id": quoted.id if quoted else 0,
        }
