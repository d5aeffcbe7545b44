"""Skip the reset of the database: these tests only call pure functions."""

import pytest


@pytest.fixture(autouse=True)
def clean_site():
    pass
