"""The check that refuses unsupported servers before a migration, such as standalone servers."""

from typing import Any

from django.core import checks
from django_mongodb_backend.validation import DatabaseValidation as MongoDatabaseValidation

from socialsite.local.server_check import hello_problem


class DatabaseValidation(MongoDatabaseValidation):
    def check(self, **_: Any) -> list[checks.CheckMessage]:
        self.connection.ensure_connection()
        hello = self.connection.connection.admin.command("hello")
        problem = hello_problem(hello)
        return [checks.Error(problem, id="socialsite.E001")] if problem else []
