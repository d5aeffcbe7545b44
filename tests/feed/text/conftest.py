"""Fixtures for tests of pure functions."""

import pytest


@pytest.fixture(autouse=True)
def clean_site():
    pass
