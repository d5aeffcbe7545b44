"""What people and apps have in common: recorded requests, pauses, texts and pictures."""

import io
import random
import secrets
import time
from typing import Any

import gevent
from locust import FastHttpUser
from PIL import Image
from urllib3.filepost import encode_multipart_formdata

from tests.load.pace import Pace
from tests.load.record import Record, load_folder

PASSWORD = "socialsite-demo"
RETRY_SECONDS = 2.0
ATTEMPTS = 5
WORDS = ("river", "bicycle", "bread", "garden", "coffee", "museum", "train", "summer", "letter")
PICTURE_SIZES = ((1600, 1200), (1200, 1600), (800, 600))

record = Record(load_folder())
pace = Pace()


class LoadUser(FastHttpUser):
    """A client with a pause after each action. Each has a username of its own."""

    abstract = True
    network_timeout = connection_timeout = 30.0
    usernames: list[str] = []
    has_arrived = False

    def on_start(self) -> None:
        self.mean_pause = pace.mean_pause()
        self.username = LoadUser.usernames.pop()

    def wait_time(self) -> float:
        if not self.has_arrived:
            self.has_arrived = True
            pace.arrived += 1
        # Gunicorn closes connections after two silent seconds, and a request at that very moment fails.
        # Browsers send it again.
        self.client.client.close()
        return pace.pause(self.mean_pause)

    def fetch(self, method: str, path: str, *, page: str, expected=(200,), **options: Any) -> Any:
        """Send a request. Return the response, or None after an error, which is recorded."""
        started_at, start = time.time(), time.perf_counter()
        with self.client.request(
            method, path, name=page, catch_response=True, allow_redirects=False, **options
        ) as response:
            milliseconds = (time.perf_counter() - start) * 1000
            status = response.status_code or 0
            is_expected = status in expected
            error = "" if is_expected else f"{status} {response.error or ''}".strip()[:120]
            if is_expected:
                response.success()
            else:
                response.failure(error)
            record.add_request(
                page=page, milliseconds=milliseconds, status=status, error=error, at=started_at
            )
            pace.add(page, milliseconds)
        return response if is_expected else None

    def fetch_until_answered(self, method: str, path: str, **options: Any) -> Any:
        """Send a request again after an error, as people press the button again. Each error is recorded."""
        for _ in range(ATTEMPTS):
            if (response := self.fetch(method, path, **options)) is not None:
                return response
            gevent.sleep(RETRY_SECONDS)
        return None


def new_text() -> str:
    """Return a text that no other post has."""
    return f"{' '.join(random.choices(WORDS, k=random.randint(4, 20)))} {secrets.token_hex(8)}"


def multipart(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the body and the headers of a form with files."""
    body, content_type = encode_multipart_formdata(fields)
    return {"data": body, "headers": {"Content-Type": content_type}}


def any_picture() -> tuple[str, bytes, str]:
    """Return a file as ``multipart`` needs it."""
    return ("picture.jpg", random.choice(_PICTURES), "image/jpeg")


def _draw(size: tuple[int, int]) -> bytes:
    # Noise of this kind compresses like a photo: about half a megabyte.
    noise = Image.effect_noise((size[0] // 4, size[1] // 4), 80).resize(size)
    out = io.BytesIO()
    Image.merge("RGB", [noise, noise.rotate(90, expand=False), noise.rotate(180)]).save(
        out, "JPEG", quality=85
    )
    return out.getvalue()


_PICTURES = [_draw(size) for size in PICTURE_SIZES]
