#!/usr/bin/env python
"""Django's command line: ``.venv/bin/python manage.py help``."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Error: {error}")
    except Exception as error:
        if explanation := connection_problem(error):
            sys.exit(f"Error: {explanation}")
        raise


def connection_problem(error: BaseException) -> str:
    """Return an explanation if the database could not be reached, else an empty string."""
    from django.conf import settings
    from pymongo.errors import ServerSelectionTimeoutError

    from socialsite.local.server_check import unreachable_reason

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ServerSelectionTimeoutError):
            return unreachable_reason(settings.MONGODB_URI, cause)
        cause = cause.__cause__ or cause.__context__
    return ""


if __name__ == "__main__":
    main()
