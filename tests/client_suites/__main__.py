"""Run the suites. Usage: ``python -m tests.client_suites [NAME...]``, by default all of them."""

import sys

from tests.client_suites.sweeps import run_masto, run_megalodon
from tests.client_suites.toot_suite import run as run_toot

SUITES = {"toot": run_toot, "masto": run_masto, "megalodon": run_megalodon}


def main(names: list[str]) -> int:
    """Run each suite against a site of its own. Return 1 if one fails, else 0."""
    if unknown := set(names) - SUITES.keys():
        sys.exit(f"Unknown suite: {', '.join(sorted(unknown))}. Choose from: {', '.join(SUITES)}.")
    failed = [name for name in names or SUITES if not SUITES[name]()]
    sys.stdout.write(f"Failed: {', '.join(failed)}\n" if failed else "All suites passed.\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
