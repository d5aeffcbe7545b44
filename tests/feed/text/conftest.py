"""Tests of pure functions: they use no database, so nothing is reset."""

import pytest


@pytest.fixture(autouse=True)
def clean_site():
    pass
