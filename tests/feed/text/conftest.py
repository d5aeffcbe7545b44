"""These tests are about pure functions: no database to empty, no files to collect."""

import pytest


@pytest.fixture(autouse=True)
def clean_site():
    pass


@pytest.fixture(scope="session", autouse=True)
def static_files():
    pass
