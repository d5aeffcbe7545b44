"""Bodies whose length nobody has said (``Transfer-Encoding: chunked``): some apps send pictures so.

Django reads nothing of them, for WSGI knows no end without a length. Servers that know it say so
(``wsgi.input_terminated``, as gunicorn does); then all of it is read before, and the length is known.
"""

import tempfile
from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

MAX_CHUNKED_BYTES = 80 * 2**20
"""Bytes. More than all pictures of a post, which Django and each form bound again."""
MAX_MEMORY_BYTES = 2**20
CHUNK_BYTES = 2**16

WsgiApplication = Callable[[dict[str, Any], Any], Iterable[bytes]]


def buffer_chunked_bodies(application: WsgiApplication) -> WsgiApplication:
    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        is_chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
        if not (is_chunked and environ.get("wsgi.input_terminated")):
            return application(environ, start_response)
        with tempfile.SpooledTemporaryFile(max_size=MAX_MEMORY_BYTES) as body:
            while piece := environ["wsgi.input"].read(CHUNK_BYTES):
                body.write(piece)
                if body.tell() > MAX_CHUNKED_BYTES:
                    start_response("413 Content Too Large", [("Content-Length", "0")])
                    return []
            known = {"CONTENT_LENGTH": str(body.tell()), "wsgi.input": body}
            body.seek(0)
            return application({**environ, **known}, start_response)

    return answer


# MERGED FROM socialsite.request_bodies: A limit to a whole request with files: Django's own leaves files out of its count.
MAX_UPLOAD_REQUEST_BYTES = 64 * 1024 * 1024
"""Four pictures of 10 MB, and enough more for the form to say which one is too large."""


class SizeLimitUploadHandler(FileUploadHandler):
    """Stands before the handlers that keep files, and ends the request before anything is read."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],  # noqa: N803 - Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        if content_length > MAX_UPLOAD_REQUEST_BYTES:
            raise RequestDataTooBig(f"{content_length} bytes in one request")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
