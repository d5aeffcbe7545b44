"""Check templates in tests: refuse missing attributes and functions, and record contexts.

Jinja2 renders a missing attribute as nothing and a function by its name, so a misspelled or renamed
attribute would go unnoticed.
"""

from collections.abc import Callable
from typing import Any

from django.forms import BaseForm
from django.template import engines
from django.test import signals
from jinja2 import ChainableUndefined
from jinja2.utils import missing

from socialsite import jinja

OUR_PACKAGES = ("accounts", "feed", "notifications", "socialsite")


class FailingUndefined(ChainableUndefined):
    """A missing variable, or an error for a missing attribute of one of our own objects."""

    def __init__(
        self, hint: str | None = None, obj: Any = missing, name: str | None = None, *args: Any
    ) -> None:
        package = type(obj).__module__.partition(".")[0]
        if package in OUR_PACKAGES and not isinstance(obj, BaseForm):
            raise AssertionError(f"{type(obj).__name__} has no attribute {name!r}")
        super().__init__(hint, obj, name, *args)


def refuse_functions(finalize: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def finalize_or_fail(value: Any) -> Any:
        if callable(value) and not hasattr(value, "__html__"):
            raise AssertionError(f"A template prints the function {value!r}")
        return finalize(value)

    return finalize_or_fail


def check_templates() -> None:
    """Make templates fail on missing attributes, and give ``response.context`` to the test client."""
    env = engines["jinja"].env
    env.undefined = FailingUndefined
    env.finalize = refuse_functions(env.finalize)
    full_context = jinja.Template.full_context

    def report_context(template: jinja.Template, context: Any, request: Any) -> dict[str, Any]:
        page_context = full_context(template, context, request)
        template.name = template.template.name
        signals.template_rendered.send(sender=template, template=template, context=page_context)
        return page_context

    jinja.Template.full_context = report_context
