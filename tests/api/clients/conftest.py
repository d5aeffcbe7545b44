"""A real server for unmodified clients from PyPI."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection

from tests.browser.site import served_site


@pytest.fixture(scope="package")
def site() -> Iterator[str]:
    """Return the URL of a running site."""
    database = connection.settings_dict["NAME"]
    with served_site(database=database, data_dir=settings.DATA_DIR) as address:
        yield address
