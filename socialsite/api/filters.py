"""Filters by words and of single posts (https://docs.joinmastodon.org/methods/filters/)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers

from feed.selectors import filters as selectors
from feed.services import filters as services
from feed.store.filters import Filter as UserFilter
from feed.store.filters import Phrase

from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import IdField, Inputs, TextField
from .serializers.filters import (
    Filter,
    FilterKeyword,
    FilterStatus,
    V1Filter,
    serialize_filter,
    serialize_filter_status,
    serialize_keyword,
    serialize_v1_filter,
)
from .serializers.values import EmptyObject
from .status_lookup import find_post

MAX_PHRASE_LENGTH = 100
MAX_KEYWORDS = 100
CONTEXTS = ("home", "notifications", "public", "thread", "account")
ACTIONS = ("warn", "hide", "blur")
MAX_DURATION_SECONDS = 100 * 365 * 86_400

_NEW_PHRASE = Phrase(0, "")


class DurationField(serializers.IntegerField):
    """A number of seconds from now. None or an empty string means permanently."""

    def __init__(self) -> None:
        super().__init__(
            required=False, allow_null=True, min_value=0, max_value=MAX_DURATION_SECONDS
        )

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation(None if data == "" else data)


class FilterContextInputs(Inputs):
    """``context`` has no effect, because filters apply to all lists of posts by several authors."""

    is_context_required: ClassVar[bool] = False

    def get_fields(self) -> Any:
        # The field cannot be a class attribute, because it would shadow ``Serializer.context``.
        choice = serializers.ChoiceField(choices=CONTEXTS)
        context = serializers.ListField(
            child=choice, required=self.is_context_required, allow_empty=False, max_length=20
        )
        return {**super().get_fields(), "context": context}


class KeywordInputs(Inputs):
    """A keyword to add or change. If ``whole_word`` is false, it also matches inside words."""

    keyword = TextField(
        required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True
    )
    whole_word = serializers.BooleanField(required=False)


class KeywordChangeInputs(Inputs):
    """A keyword to add. With ``id``, an existing keyword to change or, with ``_destroy``, to delete."""

    id = IdField(allow_null=True)
    keyword = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True, default=None)
    whole_word = serializers.BooleanField(required=False)

    def get_fields(self) -> Any:
        return {**super().get_fields(), "_destroy": serializers.BooleanField(default=False)}

    def validate(self, inputs: dict[str, Any]) -> dict[str, Any]:
        text = inputs["keyword"]
        if (text == "" or (text is None and inputs["id"] is None)) and not inputs["_destroy"]:
            raise serializers.ValidationError({"keyword": _("Enter some text.")})
        return inputs


class FilterUpdateInputs(FilterContextInputs):
    """Changes to a filter. Missing inputs change nothing."""

    title = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True, allow_blank=False)
    filter_action = serializers.ChoiceField(choices=ACTIONS, required=False)
    expires_in = DurationField()
    keywords_attributes = serializers.ListField(
        child=KeywordChangeInputs(), required=False, default=list, max_length=MAX_KEYWORDS
    )


class FilterCreateInputs(FilterUpdateInputs):
    is_context_required = True

    title = TextField(required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True)


class V1FilterUpdateInputs(FilterContextInputs):
    """Changes to a filter with one phrase. Missing inputs change nothing."""

    phrase = TextField(max_length=MAX_PHRASE_LENGTH, one_line=True, allow_blank=False)
    irreversible = serializers.BooleanField(required=False)
    whole_word = serializers.BooleanField(required=False)
    expires_in = DurationField()


class V1FilterCreateInputs(V1FilterUpdateInputs):
    """A new filter with one phrase. ``irreversible`` hides matching posts instead of collapsing them."""

    is_context_required = True

    phrase = TextField(
        required=True, allow_blank=False, max_length=MAX_PHRASE_LENGTH, one_line=True
    )


def _expires_at(seconds: int | None) -> datetime | None:
    return None if seconds is None else timezone.now() + timedelta(seconds=seconds)


def _changed_expiry(inputs: Mapping[str, Any], user_filter: UserFilter) -> datetime | None:
    """Return when the changed filter expires. A missing input changes nothing."""
    if "expires_in" not in inputs:
        return user_filter.expires_at
    return _expires_at(inputs["expires_in"])


def _changed_phrase(
    inputs: Mapping[str, Any], *, text: str, phrase: Phrase = _NEW_PHRASE
) -> Phrase:
    """Return a phrase with the text and the ``whole_word`` of the inputs. Missing inputs change nothing."""
    is_part = not inputs["whole_word"] if "whole_word" in inputs else phrase.is_part
    return replace(phrase, text=text or phrase.text, is_part=is_part)


@endpoint("read:filters", returns=list[Filter])
def index(request: ApiRequest) -> Any:
    """Return the caller's filters, including expired ones."""
    return [
        serialize_filter(user_filter)
        for user_filter in selectors.filters_of_viewer(viewer=request.uid)
    ]


@endpoint("read:filters", returns=Filter)
def show(request: ApiRequest, filter_id: int) -> Any:
    """Return a filter."""
    return serialize_filter(selectors.viewer_filter(viewer=request.uid, filter_id=filter_id))


@endpoint("write:filters", inputs=FilterCreateInputs, returns=Filter)
def create(request: ApiRequest) -> Any:
    """Create a filter. The action ``warn`` collapses matching posts, and ``hide`` removes matching posts.

    The filter applies to all lists of posts by several authors.
    """
    inputs = request.inputs
    keywords = inputs["keywords_attributes"]
    if any(keyword["id"] is not None for keyword in keywords):
        raise Http404("A new filter has no keywords to change.")
    filter_id = services.create_filter(
        owner=request.uid,
        title=inputs["title"],
        phrases=[
            _changed_phrase(keyword, text=keyword["keyword"])
            for keyword in keywords
            if not keyword["_destroy"]
        ],
        has_warning=inputs.get("filter_action") != "hide",
        until=_expires_at(inputs.get("expires_in")),
    )
    return show(request, filter_id)


@endpoint("write:filters", inputs=FilterUpdateInputs, returns=Filter)
def update(request: ApiRequest, filter_id: int) -> Any:
    """Change a filter and its keywords."""
    user_filter, inputs = (
        selectors.viewer_filter(viewer=request.uid, filter_id=filter_id),
        request.inputs,
    )
    phrases = {phrase.id: phrase for phrase in user_filter.phrases}
    new_phrases = []
    for keyword in inputs["keywords_attributes"]:
        if keyword["id"] is None:
            new_phrases += (
                [] if keyword["_destroy"] else [_changed_phrase(keyword, text=keyword["keyword"])]
            )
        elif keyword["id"] not in phrases:
            raise Http404("No such keyword.")
        elif keyword["_destroy"]:
            del phrases[keyword["id"]]
        else:
            phrases[keyword["id"]] = _changed_phrase(
                keyword, text=keyword["keyword"], phrase=phrases[keyword["id"]]
            )
    action = inputs.get("filter_action")
    updated_filter = replace(
        user_filter,
        title=inputs["title"] or user_filter.title,
        phrases=(*phrases.values(), *new_phrases),
        should_collapse=user_filter.should_collapse if action is None else action != "hide",
        expires_at=_changed_expiry(inputs, user_filter),
    )
    services.update_filter(owner=request.uid, updated_filter=updated_filter)
    return show(request, filter_id)


@endpoint("write:filters", returns=EmptyObject)
def delete(request: ApiRequest, filter_id: int) -> None:
    """Delete a filter."""
    user_filter = selectors.viewer_filter(viewer=request.uid, filter_id=filter_id)
    services.delete_filter(owner=request.uid, filter_id=user_filter.id)


# --- Keywords of a filter -----------------------------------------------------------------------
@endpoint("read:filters", returns=list[FilterKeyword])
def index_keywords(request: ApiRequest, filter_id: int) -> Any:
    """Return the keywords of a filter."""
    user_filter = selectors.viewer_filter(viewer=request.uid, filter_id=filter_id)
    return [serialize_keyword(phrase) for phrase in user_filter.phrases]


@endpoint("write:filters", inputs=KeywordInputs, returns=FilterKeyword)
def add_keyword(request: ApiRequest, filter_id: int) -> Any:
    """Add a keyword to a filter."""
    user_filter = selectors.viewer_filter(viewer=request.uid, filter_id=filter_id)
    phrases = (
        *user_filter.phrases,
        _changed_phrase(request.inputs, text=request.inputs["keyword"]),
    )
    services.update_filter(owner=request.uid, updated_filter=replace(user_filter, phrases=phrases))
    return index_keywords(request, filter_id)[-1]


@endpoint("read:filters", returns=FilterKeyword)
def show_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Return a keyword."""
    _user_filter, phrase = selectors.filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    return serialize_keyword(phrase)


@endpoint("write:filters", inputs=KeywordInputs, returns=FilterKeyword)
def update_keyword(request: ApiRequest, keyword_id: int) -> Any:
    """Replace the text of a keyword."""
    user_filter, phrase = selectors.filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    new_phrase = _changed_phrase(request.inputs, text=request.inputs["keyword"], phrase=phrase)
    phrases = tuple(new_phrase if old.id == new_phrase.id else old for old in user_filter.phrases)
    services.update_filter(owner=request.uid, updated_filter=replace(user_filter, phrases=phrases))
    return serialize_keyword(new_phrase)


@endpoint("write:filters", returns=EmptyObject)
def delete_keyword(request: ApiRequest, keyword_id: int) -> None:
    """Delete a keyword."""
    user_filter, phrase = selectors.filter_by_phrase(viewer=request.uid, phrase_id=keyword_id)
    phrases = tuple(other for other in user_filter.phrases if other.id != phrase.id)
    services.update_filter(owner=request.uid, updated_filter=replace(user_filter, phrases=phrases))


# --- Single posts in a filter --------------------------------------------------------------------
class FilterStatusInputs(Inputs):
    status_id = IdField(required=True)


@endpoint("read:filters", returns=list[FilterStatus])
def index_statuses(request: ApiRequest, filter_id: int) -> Any:
    """Return the single posts in a filter."""
    user_filter = selectors.viewer_filter(viewer=request.uid, filter_id=filter_id)
    return [serialize_filter_status(row) for row in user_filter.posts]


@endpoint("write:filters", inputs=FilterStatusInputs, returns=FilterStatus)
def add_status(request: ApiRequest, filter_id: int) -> Any:
    """Add a single post to a filter. Own posts and comments cannot be filtered (422)."""
    user_filter = selectors.viewer_filter(viewer=request.uid, filter_id=filter_id)
    post = find_post(status_id=request.inputs["status_id"], viewer=request.uid)
    services.filter_post(owner=request.uid, user_filter=user_filter, post=post)
    for row in selectors.viewer_filter(viewer=request.uid, filter_id=filter_id).posts:
        if row.post == post.id:
            return serialize_filter_status(row)
    raise Http404("The post was removed from the filter meanwhile.")


@endpoint("read:filters", returns=FilterStatus)
def show_status(request: ApiRequest, filter_status_id: int) -> Any:
    """Return a single post in a filter."""
    return serialize_filter_status(
        selectors.filter_by_post(viewer=request.uid, row_id=filter_status_id)
    )


@endpoint("write:filters", returns=EmptyObject)
def delete_status(request: ApiRequest, filter_status_id: int) -> None:
    """Remove a single post from a filter."""
    row = selectors.filter_by_post(viewer=request.uid, row_id=filter_status_id)
    services.unfilter_post(owner=request.uid, row_id=row.id)


# --- Filters for clients written before Mastodon 4.0, which expect one phrase per filter -----------
@endpoint("read:filters", returns=list[V1Filter])
def index_v1(request: ApiRequest) -> Any:
    """Return the caller's filters. Each phrase of a filter is returned as a separate filter."""
    return [
        serialize_v1_filter(user_filter, phrase)
        for user_filter in selectors.filters_of_viewer(viewer=request.uid)
        for phrase in user_filter.phrases
    ]


@endpoint("read:filters", returns=V1Filter)
def show_v1(request: ApiRequest, phrase_id: int) -> Any:
    """Return a filter phrase."""
    return serialize_v1_filter(*selectors.filter_by_phrase(viewer=request.uid, phrase_id=phrase_id))


@endpoint("write:filters", inputs=V1FilterCreateInputs, returns=V1Filter)
def create_v1(request: ApiRequest) -> Any:
    """Create a filter that collapses posts with the phrase or, if ``irreversible``, hides the posts."""
    inputs = request.inputs
    filter_id = services.create_filter(
        owner=request.uid,
        title=inputs["phrase"],
        phrases=[_changed_phrase(inputs, text=inputs["phrase"])],
        has_warning=not inputs.get("irreversible", False),
        until=_expires_at(inputs.get("expires_in")),
    )
    user_filter = selectors.viewer_filter(viewer=request.uid, filter_id=filter_id)
    return serialize_v1_filter(user_filter, user_filter.phrases[0])


@endpoint("write:filters", inputs=V1FilterUpdateInputs, returns=V1Filter)
def update_v1(request: ApiRequest, phrase_id: int) -> Any:
    """Change a phrase. ``irreversible`` and ``expires_in`` change all phrases of the same filter."""
    user_filter, phrase = selectors.filter_by_phrase(viewer=request.uid, phrase_id=phrase_id)
    inputs = request.inputs
    new_phrase = _changed_phrase(inputs, text=inputs["phrase"], phrase=phrase)
    updated_filter = replace(
        user_filter,
        phrases=tuple(
            new_phrase if old.id == new_phrase.id else old for old in user_filter.phrases
        ),
        should_collapse=not inputs["irreversible"]
        if "irreversible" in inputs
        else user_filter.should_collapse,
        expires_at=_changed_expiry(inputs, user_filter),
    )
    services.update_filter(owner=request.uid, updated_filter=updated_filter)
    return serialize_v1_filter(updated_filter, new_phrase)


@endpoint("write:filters", returns=EmptyObject)
def delete_v1(request: ApiRequest, phrase_id: int) -> None:
    """Delete a phrase. Deleting the last phrase deletes its filter, unless it contains single posts."""
    user_filter, phrase = selectors.filter_by_phrase(viewer=request.uid, phrase_id=phrase_id)
    phrases = tuple(other for other in user_filter.phrases if other.id != phrase.id)
    if phrases or user_filter.posts:
        services.update_filter(
            owner=request.uid, updated_filter=replace(user_filter, phrases=phrases)
        )
    else:
        services.delete_filter(owner=request.uid, filter_id=user_filter.id)
