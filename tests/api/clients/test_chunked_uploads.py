"""Uploads in chunks, as Mastodon for iOS sends them."""

import http.client
import json
from urllib.parse import urlsplit

from accounts.models import User
from tests.api.api_client import token_of
from tests.uploads import picture


def test_pictures_may_be_uploaded_in_chunks_without_a_length(site: str, alice: User) -> None:
    """Mastodon for iOS uploads in chunks. There may be no proxy that would determine the length."""
    boundary = "0123456789"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
    body = (
        head.encode()
        + b"Content-Type: image/png\r\n\r\n"
        + picture()
        + f"\r\n--{boundary}--".encode()
    )
    pieces = [body[start : start + 100] for start in range(0, len(body), 100)]
    server = http.client.HTTPConnection(urlsplit(site).netloc, timeout=30)
    headers = {
        "Authorization": f"Bearer {token_of(alice)}",
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        "Transfer-Encoding": "chunked",
    }
    server.request("POST", "/api/v2/media", iter(pieces), headers, encode_chunked=True)
    response = server.getresponse()
    published = json.loads(response.read())
    server.close()
    assert (response.status, published["type"]) == (200, "image")
