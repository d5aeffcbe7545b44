"""Fail the test if a template reads a missing attribute of one of our own objects.

Django renders such a lookup as nothing, so a misspelled or renamed attribute would go unnoticed.
"""

from typing import Any

from django.forms import BaseForm
from django.template.base import Variable, VariableDoesNotExist

OUR_PACKAGES = ("accounts", "feed", "notifications", "socialsite")


def fail_on_unknown_attributes() -> None:
    resolve = Variable._resolve_lookup

    def resolve_or_fail(variable: Variable, context: Any) -> Any:
        try:
            return resolve(variable, context)
        except VariableDoesNotExist as error:
            name, owner = error.params
            package = type(owner).__module__.partition(".")[0]
            if package in OUR_PACKAGES and not isinstance(owner, BaseForm):
                message = f"{{{{ {variable} }}}}: {type(owner).__name__} has no attribute {name!r}"
                raise AssertionError(message) from None
            raise

    Variable._resolve_lookup = resolve_or_fail
