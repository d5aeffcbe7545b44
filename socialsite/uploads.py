"""A limit to a whole request with files: Django's own leaves files out of its count."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

MAX_BYTES = 64 * 1024 * 1024
"""Four pictures of 10 MB, and enough more for the form to say which one is too large."""


class BoundedUploadHandler(FileUploadHandler):
    """Stands before the handlers that keep files, and ends the request before anything is read."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: dict[str, str],  # noqa: N803 - Django's name
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        if content_length > MAX_BYTES:
            raise RequestDataTooBig(f"{content_length} bytes in one request")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
