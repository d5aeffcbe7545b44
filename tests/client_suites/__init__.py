"""Test suites of other clients, and a call of every method of two client libraries: ``make clients``.

They need programs that are not on PyPI, so no test tier contains them (``docs/tests.md``).
"""
