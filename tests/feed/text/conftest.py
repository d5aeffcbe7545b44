"""These tests are about pure functions: there is no database to reset."""

import pytest


@pytest.fixture(autouse=True)
def clean_site():
    pass
