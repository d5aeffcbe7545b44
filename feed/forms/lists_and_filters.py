"""Forms for user lists, featured hashtags, filters and search."""

from collections.abc import Collection, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import SingleLineField
from feed.activities import Comment, home_kinds
from feed.models import MAX_TEXT_LENGTH
from feed.store.filters import Filter
from feed.store.user_lists import FOLLOWED, LIST, NONE
from feed.text.languages import language_choices, language_name


class ListForm(forms.Form):
    title = SingleLineField(label=_("List name"), max_length=60)


class ListOptionsForm(ListForm):
    """All properties of a list.

    ``replies_policy`` exists only on sites that publish posts about comments.
    """

    is_exclusive = forms.BooleanField(
        label=_("Hide posts by members from the home timeline"), required=False
    )
    replies_policy = forms.ChoiceField(
        label=_("Comments by members"),
        choices=[
            (FOLLOWED, _("Show comments on posts by people you follow")),
            (LIST, _("Show comments on posts by members of the list")),
            (NONE, _("Hide comments")),
        ],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if Comment.name not in [kind.name for kind in home_kinds()]:
            del self.fields["replies_policy"]


class FeaturedTagForm(forms.Form):
    name = SingleLineField(
        label=_("Hashtag"),
        max_length=MAX_TEXT_LENGTH,
        help_text=_("Your posts with this hashtag are linked from your profile."),
    )


class FilterForm(forms.Form):
    """Create a filter. ``hours`` is None for a permanent filter."""

    phrase = SingleLineField(
        label=_("Word or phrase"),
        max_length=100,
        help_text=_("Upper and lower case do not matter."),
    )
    is_part = forms.BooleanField(label=_("Also match inside other words"), required=False)
    has_warning = forms.ChoiceField(
        label=_("Filter action"),
        choices=[("", _("Hide posts")), ("1", _("Show posts behind a warning"))],
        required=False,
    )
    hours = forms.TypedChoiceField(
        label=_("Duration"),
        choices=[
            ("", _("Permanently")),
            ("1", _("1 hour")),
            ("24", _("1 day")),
            ("168", _("1 week")),
            ("720", _("30 days")),
        ],
        coerce=int,
        empty_value=None,
        required=False,
    )

    def clean_has_warning(self) -> bool:
        return bool(self.cleaned_data["has_warning"])


class FilterPostForm(forms.Form):
    """Choose the filter for a single post.

    ``filter`` is the id of a filter, or the action of a new filter: "hide" or "warn".
    """

    filter = forms.ChoiceField(label=_("Filter"))

    def __init__(self, *args: Any, filters: Sequence[Filter], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["filter"]
        field.choices = [
            *((str(user_filter.id), user_filter.title) for user_filter in filters),
            ("hide", _("New filter that hides posts")),
            ("warn", _("New filter that shows posts behind a warning")),
        ]


class SearchForm(forms.Form):
    MAX_LENGTH = 100

    q = SingleLineField(
        label=_("Search"),
        max_length=MAX_LENGTH,
        required=False,
        widget=forms.TextInput(
            {"type": "search", "placeholder": _("Search"), "enterkeyhint": "search"}
        ),
        error_messages={"max_length": _("Enter at most 100 characters.")},
    )


class FollowLanguagesForm(forms.Form):
    """The languages in which the home timeline shows the posts of a followed user, empty for all."""

    languages = forms.MultipleChoiceField(label=_("Languages"), required=False)

    def __init__(self, *args: Any, chosen: Collection[str], **kwargs: Any) -> None:
        """``chosen`` may contain languages from an app that pages do not offer."""
        super().__init__(*args, **kwargs)
        names = dict(language_choices()) | {code: language_name(code) for code in chosen}
        field: Any = self.fields["languages"]
        field.choices = list(names.items())
