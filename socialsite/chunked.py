"""Bodies whose length nobody has said (``Transfer-Encoding: chunked``): some apps send pictures so.

Django reads nothing of them, for WSGI knows no end without a length. Servers that know it say so
(``wsgi.input_terminated``, as gunicorn does); then all of it is read before, and the length is known.
"""

import tempfile
from collections.abc import Callable, Iterable
from typing import Any

LARGEST = 80 * 2**20
"""Bytes. More than all pictures of a post, which Django and each form bound again."""
IN_MEMORY = 2**20
PIECE = 2**16

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


def with_length(application: Application) -> Application:
    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        is_chunked = "chunked" in environ.get("HTTP_TRANSFER_ENCODING", "").lower()
        if not (is_chunked and environ.get("wsgi.input_terminated")):
            return application(environ, start_response)
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as body:
            while piece := environ["wsgi.input"].read(PIECE):
                body.write(piece)
                if body.tell() > LARGEST:
                    start_response("413 Content Too Large", [("Content-Length", "0")])
                    return []
            known = {"CONTENT_LENGTH": str(body.tell()), "wsgi.input": body}
            body.seek(0)
            return application({**environ, **known}, start_response)

    return answer
