"""Requests that Django alone does not cope with."""

import pytest
from django.conf import settings
from django.core.exceptions import TooManyFieldsSent
from django.test import RequestFactory

from socialsite.request_bodies import TextRequest


def request(query, charset):
    environ = RequestFactory()._base_environ(
        REQUEST_METHOD="GET", QUERY_STRING=query, CONTENT_TYPE=f"text/plain; charset={charset}"
    )
    return TextRequest(environ)


@pytest.mark.parametrize("charset", ["utf-8", "zlib", "rot13", "idna", "undefined", "no-such"])
def test_a_codec_that_does_not_decode_text_is_ignored(charset):
    assert request("q=caf%C3%A9", charset).GET["q"] == "café"


def test_middlewares_can_answer_too_many_parameters():
    crowded = request("&q=" * (settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1), "utf-8")
    with pytest.raises(TooManyFieldsSent):
        crowded.GET  # noqa: B018 - reads the query
