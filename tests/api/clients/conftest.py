"""A real server for clients from PyPI, as they are."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection

from tests.browser.site import served_site


@pytest.fixture(scope="package")
def site() -> Iterator[str]:
    """Its address."""
    database = connection.settings_dict["NAME"]
    with served_site(database=database, data_dir=settings.DATA_DIR) as address:
        yield address
