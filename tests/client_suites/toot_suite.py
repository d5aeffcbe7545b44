"""The integration tests of ``toot``, unmodified. The package on PyPI does not contain them.

``TOOT`` is the folder of a clone of ``ihabunek/toot``, at the tag of the locked version.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from tests.client_suites.site import running_site

PORT = 3000  # the tests of the log-in expect the site at http://localhost:3000
EXPECTED_FAILURES = Path(__file__).with_name("toot_failures.txt")
"""Lines with the name of a test and the reason why it fails."""


def run() -> bool:
    """Run the tests. Return whether exactly the expected tests fail."""
    folder = os.environ.get("TOOT", "")
    if not Path(folder, "tests", "integration").is_dir():
        sys.exit("Set TOOT to the folder of a clone of toot (docs/tests.md).")
    with (
        tempfile.NamedTemporaryFile(suffix=".xml") as report,
        running_site(host="localhost", port=PORT) as url,
    ):
        command = [sys.executable, "-m", "pytest", "tests/integration", "-q", "--tb=short"]
        # The plugins of our tests are installed, too, but would change the tests of toot.
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TOOT_TEST_BASE_URL": url}
        subprocess.run([*command, f"--junitxml={report.name}"], cwd=folder, env=env, check=False)
        cases = list(ElementTree.parse(report.name).iter("testcase"))  # noqa: S314 - our own file
    tests = {_name(case) for case in cases}
    failed = {
        _name(case)
        for case in cases
        for kind in ("failure", "error")
        if case.find(kind) is not None
    }
    return _compare(tests, failed)


def _name(case: ElementTree.Element) -> str:
    """Return a name such as "test_polls::test_vote_poll"."""
    return f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"


def _compare(tests: set[str], failed: set[str]) -> bool:
    lines = [line.split(maxsplit=1) for line in EXPECTED_FAILURES.read_text().splitlines()]
    reasons = dict(lines)
    sys.stdout.write(f"toot: {len(tests - failed)} of {len(tests)} tests passed.\n")
    for name in sorted(failed & reasons.keys()):
        sys.stdout.write(f"  {name}: {reasons[name]}\n")
    for name in sorted(failed - reasons.keys()):
        sys.stdout.write(f"  FAILED {name}\n")
    for name in sorted(reasons.keys() - failed):
        sys.stdout.write(f"  PASSED, so remove it from {EXPECTED_FAILURES.name}: {name}\n")
    return bool(tests) and failed == reasons.keys()
