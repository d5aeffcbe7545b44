"""Tests of pure functions need no database, so ``clean_site`` does nothing here."""

import pytest


@pytest.fixture(autouse=True)
def clean_site():
    pass
