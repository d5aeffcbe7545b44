"""Forms to write and edit a post."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.forms import SingleLineField
from accounts.infra.plain_text import join_names
from accounts.models import User
from feed.activities import Details, activity_kind
from feed.models import MAX_CONTENT_WARNING, Post
from feed.post_content import Audience, PostContent
from feed.selectors.post_view import PostView
from feed.services.pictures import warning_for_media
from feed.services.posts import mentioned_without_access
from feed.text.languages import language_choices, language_name

from .pictures import PicturesForm
from .text import LaterForm

POST_WARNING_HELP = _("People see only this text until they open the post.")


def initial_values(content: PostContent) -> dict[str, Any]:
    """Return the initial values of the fields of ``PostForm`` for the content of a draft."""
    document = content.stored()
    values = {**document.pop("details"), **document.pop("audience")}
    return {**document, **values, "media": document["picture_ids"]}


def _changed_content(form: forms.Form, content: PostContent, **changes: Any) -> PostContent:
    """Return the content with the values of the form's fields that have the names of its fields."""
    audience = replace(content.audience, **_values_of(form, Audience))
    return replace(content, audience=audience, **(_values_of(form, PostContent) | changes))


def _values_of(form: forms.Form, written: type[PostContent] | type[Audience]) -> dict[str, Any]:
    cleaned = form.cleaned_data
    return {field.name: cleaned[field.name] for field in fields(written) if field.name in cleaned}


def unreached_message(names: list[str]) -> str:
    """Return the question about mentioned users who could not read the post."""
    message = ngettext(
        "%(names)s does not follow you and will not see this post.",
        "%(names)s do not follow you and will not see this post.",
        len(names),
    )
    return message % {"names": join_names(names, prefix="@")}


class PoliciesForm(forms.Form):
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
        return self.chosen("reply_policy")

    def clean_quote_policy(self) -> str:
        return self.chosen("quote_policy")

    def chosen(self, name: str) -> str:
        """Return the chosen value of a field, or its initial value if the form does not send it."""
        return str(self.cleaned_data[name] or self[name].initial)


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
        super().__init__(*args, initial=initial_values(post.content), post=post, **kwargs)
        kind = post.activity
        self.old_content = post.content
        self.requires_text = kind.requires_text
        self.fields["text"].required = kind.is_question
        self.kind = kind
        # A form without the fields of the kind leaves the details as they are.
        is_sent = not self.is_bound or next(iter(kind.fields), "") in self.data
        self.edits_details = kind.is_editable and is_sent
        if self.edits_details:
            self.initial = {**self.initial, **kind.field_values(post.row.details)}
            self.fields.update(kind.edit_fields(post.row.details))

    def kind_fields(self) -> list[forms.BoundField]:
        """Return the fields of the kind, for the template. Empty if its details cannot be edited."""
        return [self[name] for name in self.kind.fields] if self.edits_details else []

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        self.details = self.old_content.details
        if self.edits_details and not self.errors:
            self.details = self.kind.clean_details(cleaned)
        return cleaned

    def content(self, *, picture_ids: Sequence[int]) -> PostContent:
        """Return the changed content. Only for a valid form."""
        return _changed_content(
            self, self.old_content, details=self.details, picture_ids=tuple(picture_ids)
        )


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
        self.details: Details = {}
        self.requires_text = self.kind.requires_text and not self.is_draft
        self.fields["text"].required = self.kind.is_question
        if self.is_draft:
            for name in ("text", *self.kind.fields):
                self.fields[name].required = False

    def kind_fields(self) -> list[forms.BoundField]:
        """Return the additional fields of the activity kind, for the template."""
        return [self[name] for name in self.kind.fields]

    def clean_visibility(self) -> str:
        return self.chosen("visibility")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if "content_warning" in cleaned:
            cleaned["content_warning"] = warning_for_media(
                content_warning=cleaned["content_warning"],
                is_sensitive=cleaned["is_media_sensitive"],
                has_media=bool(self.saved_pictures or self.new_uploads),
            )
        if self.is_draft:
            self._check_draft(cleaned)
            return cleaned
        names = mentioned_without_access(
            author=self.owner_uid,
            text=cleaned.get("text", ""),
            visibility=cleaned.get("visibility", Post.Visibility.PUBLIC),
        )
        if names and not cleaned.get("confirm_unreached"):
            self.has_unreached_mentions = True
            self.add_error("text", unreached_message(names))
        if not self.errors:
            self.details = self.kind.clean_details(cleaned)
        return cleaned

    def _check_draft(self, cleaned: dict[str, Any]) -> None:
        self.needs_descriptions = False
        # The choices of a kind, such as the duration of a poll, always have a value.
        written = (cleaned.get(name) for name in ("text", "content_warning", *self.kind.fields))
        has_pictures = self.saved_pictures or self.new_uploads
        if not (has_pictures or any(isinstance(value, str) and value for value in written)):
            self.add_error("text", self.fields["text"].error_messages["required"])

    def content(
        self, *, picture_ids: Sequence[int], quoted: PostView | None, is_for_later: bool
    ) -> PostContent:
        """Return the content of the post, or of the draft if ``is_for_later``. Only for a valid form."""
        values = {
            name: self.cleaned_data[name] for name in self.kind.fields if name in self.cleaned_data
        }
        return _changed_content(
            self,
            PostContent(),
            kind=self.kind.name,
            details=values if is_for_later else self.details,
            picture_ids=tuple(picture_ids),
            quoted_id=quoted.id if quoted else 0,
        )


@dataclass(frozen=True, slots=True)
class ComposerDefaults:
    """What the composer starts with. Users with the same defaults share the HTML of the empty composer."""

    visibility: str
    quote_policy: str
    language: str
    is_media_sensitive: bool

    @classmethod
    def of(cls, user: User) -> Self:
        return cls(
            user.post_visibility, user.quote_policy, user.post_language, user.has_sensitive_media
        )

    def empty_form(self) -> PostForm:
        return PostForm(initial=asdict(self))
