"""Do not reset the database before these tests, because they only call pure functions."""

import pytest


@pytest.fixture(autouse=True)
def clean_site():
    pass
