"""Workaround 1: escape the value of ``iexact``, which the backend uses as a regular expression.

Without the workaround, the value ``.*`` matches every row.
"""

import re

from django_mongodb_backend.operations import (
    DatabaseOperations as MongoDatabaseOperations,
)


class DatabaseOperations(MongoDatabaseOperations):
    compiler_module = "socialsite.engine.compiler"

    def prep_for_iexact_query(self, value: str) -> str:
        return re.escape(value)
