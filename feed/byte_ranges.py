"""Serve parts of a file (``Range`` requests), which browsers need to play and seek in video and audio."""

import re
from collections.abc import Iterator
from typing import IO

from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)

CHUNK_BYTES = 2**16
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


class _Part:
    """Iterate over the next ``length`` bytes of a file. The response closes the file."""

    def __init__(self, file: IO[bytes], length: int) -> None:
        self._file = file
        self._length = length
        self.close = file.close

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = self._file.read(min(self._length, CHUNK_BYTES))
        if not chunk:
            raise StopIteration
        self._length -= len(chunk)
        return chunk


def file_response(
    *, request: HttpRequest, file: IO[bytes], size: int, content_type: str
) -> HttpResponseBase:
    """Return a file of ``size`` bytes, or the part of the file that the request asks for.

    A request for several parts, or with ``If-Range``, gets the whole file.
    """
    match = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if match is None or match[1] == match[2] == "" or "If-Range" in request.headers:
        whole = FileResponse(file, content_type=content_type)
        whole["Accept-Ranges"] = "bytes"
        return whole
    if match[1]:
        start, end = int(match[1]), min(int(match[2] or size), size - 1)
    else:
        start, end = max(0, size - int(match[2])), size - 1
    if start > end:
        file.close()
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    file.seek(start)
    length = end - start + 1
    return StreamingHttpResponse(
        _Part(file, length),
        status=206,
        content_type=content_type,
        headers={
            "Accept-Ranges": "bytes",
            "Content-Range": f"bytes {start}-{end}/{size}",
            "Content-Length": str(length),
        },
    )
