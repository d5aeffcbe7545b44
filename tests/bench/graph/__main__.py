"""Import a follow graph. Run ``python -m tests.bench.graph FILE`` in the root of the repository."""

import os
import sys

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    django.setup()
    from tests.bench.graph.import_graph import Command

    Command().run_from_argv(["python -m", "tests.bench.graph", *sys.argv[1:]])


if __name__ == "__main__":
    main()
