"""Cure 1: ``iexact`` takes its value for a regular expression, so ``.*`` matches everybody."""

import re

from django_mongodb_backend.operations import (
    DatabaseOperations as MongoDatabaseOperations,
)


class DatabaseOperations(MongoDatabaseOperations):
    compiler_module = "socialsite.engine.compiler"

    def prep_for_iexact_query(self, x: str) -> str:
        return re.escape(x)
