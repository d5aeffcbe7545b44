"""Limits on the size of request bodies, and what servers and Django do not cope with in requests."""

import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from django.core.handlers.wsgi import WSGIRequest
from django.utils.http import parse_header_parameters

FORM_BYTES = 4 * 2**20
"""More than a form with a clip needs besides the clip."""
MIN_UPLOAD_LIMIT = 64 * 2**20
"""More than four pictures of 10 MB need, so that the form can name a picture that is a little too large."""
MAX_MEMORY_BYTES = 2**20
CHUNK_BYTES = 2**16

WsgiApplication = Callable[[dict[str, Any], Any], Iterable[bytes]]


def max_request_bytes() -> int:
    """Return how large a request may be."""
    return max(MIN_UPLOAD_LIMIT, int(settings.CLIP_MAX_MB) * 2**20 + FORM_BYTES)


def buffer_chunked_bodies(application: WsgiApplication) -> WsgiApplication:
    """Wrap the application so that it can read bodies sent with ``Transfer-Encoding: chunked``.

    Some apps upload pictures in such requests, but Django ignores bodies without a ``Content-Length``. If
    the server marks the end of the body (``wsgi.input_terminated``), as gunicorn does, the wrapper reads
    the whole body and sets the length.
    """

    def handle_request(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        is_chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
        if not (is_chunked and environ.get("wsgi.input_terminated")):
            return application(environ, start_response)
        with tempfile.SpooledTemporaryFile(max_size=MAX_MEMORY_BYTES) as body:
            while chunk := environ["wsgi.input"].read(CHUNK_BYTES):
                body.write(chunk)
                if body.tell() > max_request_bytes():
                    start_response("413 Content Too Large", [("Content-Length", "0")])
                    return []
            body_environ = {"CONTENT_LENGTH": str(body.tell()), "wsgi.input": body}
            body.seek(0)
            return application({**environ, **body_environ}, start_response)

    return handle_request


class TextRequest(WSGIRequest):
    """A request that reads nothing before the middlewares can answer errors.

    With a charset, Django reads the query at once. It fails if the charset is a codec that does not decode
    text, like zlib, or if there are too many parameters.
    """

    _encoding: str | None

    def _set_content_type_params(self, meta: dict[str, str]) -> None:
        content_type = meta.get("CONTENT_TYPE", "")
        self.content_type, self.content_params = parse_header_parameters(content_type)
        charset = self.content_params.get("charset")
        with suppress(LookupError, UnicodeError):
            if charset and b"a".decode(charset, "replace"):
                self._encoding = charset


class SizeLimitUploadHandler(FileUploadHandler):
    """Refuse requests that are too large before any file is read.

    Django's ``DATA_UPLOAD_MAX_MEMORY_SIZE`` does not limit files. This handler must be the first handler.
    """

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],  # noqa: N803 - Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        if content_length > max_request_bytes():
            raise RequestDataTooBig(f"{content_length} bytes in one request")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
