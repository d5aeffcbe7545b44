"""A storage backend that keeps media in a private bucket of a store that speaks S3.

``settings.STORAGES`` uses it if ``S3_BUCKET`` is set, and then the extra ``s3`` must be installed. Views
check permissions and send the files themselves, so the bucket needs no public URLs. See
``docs/decisions/0028-media-in-object-storage.md``.
"""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from boto3.exceptions import Boto3Error
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from django.utils.translation import gettext as _
from storages.backends.s3 import S3Storage

from accounts.infra.refusals import TryLater

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 60
BUFFER_BYTES = 2**16
MAX_SKIPPED_BYTES = 2**18
"""A reader skips up to this many bytes by reading them, because another request would take longer."""

CLIENT_CONFIG = Config(
    connect_timeout=3,  # in seconds, like the next
    read_timeout=10,
    retries={"mode": "standard", "total_max_attempts": 2},
    max_pool_connections=50,
    # Many stores other than Amazon's reject the newer checksums.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


class StorageDown(TryLater):
    """The store cannot be reached, is too slow, or refuses the request."""


@contextmanager
def _storage_errors(name: str) -> Iterator[None]:
    """Raise FileNotFoundError for a missing object, and StorageDown for other errors of the store."""
    try:
        yield
    except (BotoCoreError, Boto3Error, ClientError, OSError) as error:
        if isinstance(error, FileNotFoundError) or _is_missing(error):
            raise FileNotFoundError(name) from error
        logger.exception("The media store failed for %s", name)
        raise StorageDown(
            _("Pictures and other files are not available right now. Try again in a minute."),
            retry_after=RETRY_AFTER_SECONDS,
        ) from error


def _is_missing(error: Exception) -> bool:
    # The code of a missing bucket is NoSuchBucket. Responses to HEAD have no code, only the status.
    code = error.response["Error"]["Code"] if isinstance(error, ClientError) else ""
    return code in ("NoSuchKey", "404")


class ObjectStorage(S3Storage):
    """Behaves like a folder for this site: unique names, early errors, files that can seek."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # Threads share one client, which is safe. The base class creates one for each thread, and each
        # takes 15 MB and a fifth of a second.
        self._connections = SimpleNamespace()

    def get_default_settings(self) -> dict[str, Any]:
        defaults: dict[str, Any] = super().get_default_settings()
        return defaults | {
            "file_overwrite": False,
            "client_config": CLIENT_CONFIG,
            # Without threads, the file is read in the caller's thread, which has the connection to MongoDB.
            "transfer_config": TransferConfig(use_threads=False),
        }

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        if mode != "rb":
            raise ValueError("Objects can only be read. Use save to write them.")
        key = self._normalize_name(name)
        return _StoredFile(_Reader(self.bucket.meta.client, self.bucket_name, key), name)

    def _save(self, name: str, content: Any) -> str:
        with _storage_errors(name):
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        with _storage_errors(name):
            super().delete(name)

    def exists(self, name: str) -> bool:
        with _storage_errors(name):
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with _storage_errors(name):
            return int(super().size(name))

    def get_modified_time(self, name: str) -> Any:
        with _storage_errors(name):
            return super().get_modified_time(name)

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with _storage_errors(name):
            folders, files = super().listdir(name)
            return folders, files

    def names_with_prefix(self, folder: str, prefix: str) -> list[str]:
        """Return the names of the files in a folder that start with ``prefix``. One request per 1,000."""
        start = f"{self._normalize_name(folder)}/"
        with _storage_errors(folder):
            pages = self.bucket.meta.client.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket_name, Prefix=start + prefix, Delimiter="/"
            )
            keys = [entry["Key"] for page in pages for entry in page.get("Contents", ())]
        return [key.removeprefix(start) for key in keys]

    def url(self, *args: Any, **kwargs: Any) -> str:
        raise NotImplementedError("Media have no URLs in the bucket.")


class _StoredFile(File):  # type: ignore[type-arg]
    def __init__(self, reader: "_Reader", name: str) -> None:
        super().__init__(io.BufferedReader(reader, BUFFER_BYTES), name)
        self.size = reader.size


class _Reader(io.RawIOBase):
    """Read an object from any position.

    The constructor requests the whole object, so one request is enough to read it from the start. Reading
    elsewhere after ``seek`` costs one more request.

    Raises:
        FileNotFoundError: the object does not exist.
        StorageDown: also while reading.
    """

    def __init__(self, client: Any, bucket: str, key: str) -> None:
        self._client = client
        self._object = {"Bucket": bucket, "Key": key}
        self._position = self._body_position = 0
        self._body: Any = None
        with _storage_errors(key):
            response = client.get_object(**self._object)
        self._body = response["Body"]
        self._object["IfMatch"] = response["ETag"]  # later requests must not mix two versions
        self.size: int = response["ContentLength"]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size}[whence]
        if start + offset < 0:
            raise ValueError("The position is negative.")
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        length = min(len(buffer), self.size - self._position)
        if length <= 0:
            return 0
        with _storage_errors(self._object["Key"]):
            self._move_body()
            chunk = self._body.read(length)
            if not chunk:
                raise OSError("The object ended too early.")
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        self._body_position = self._position
        return len(chunk)

    def _move_body(self) -> None:
        """Continue the response at the current position."""
        distance = self._position - self._body_position
        if 0 <= distance <= MAX_SKIPPED_BYTES:
            self._body.read(distance)
            return
        self._body.close()
        response = self._client.get_object(**self._object, Range=f"bytes={self._position}-")
        self._body, self._body_position = response["Body"], self._position

    def close(self) -> None:
        if self._body is not None:
            self._body.close()
        super().close()
