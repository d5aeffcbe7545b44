"""Start the benchmark. Run ``python -m tests.bench`` in the root of the repository."""

import os
import sys

import django


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    django.setup()
    from tests.bench.cli import BenchCommand

    BenchCommand().run_from_argv(["python -m", "tests.bench", *sys.argv[1:]])


if __name__ == "__main__":
    main()
