"""Report what a test run costs: the slowest tests, unstable tests, and the budget of each tier.

The cost of a test is the time that a worker spends on it, with its fixtures. It depends on the machine and
on other programs. Each worker therefore times a fixed loop every ``TESTS_PER_LOOP`` tests, and the report
divides the cost of a run by the slowness of that loop.
"""

import statistics
import time
from collections import Counter
from collections.abc import Iterator

import pytest

BUDGET_SECONDS = {"fast": 560, "slow": 1350}
"""Seconds of workers for all tests of a tier, on a machine that runs the loop in ``LOOP_SECONDS``."""

LOOP_SECONDS = {"fast": 0.007, "slow": 0.0085}
"""Mean duration of the loop in a run of a tier on the reference machine, which has two cores and was quiet.
In the slow tier, browsers and servers that the tests start run beside the loop. Waiting takes as long on
any machine, so the slow tier seems expensive on a faster machine, and cheap on a slower one."""

ALLOWED_GROWTH = 1.02
LOOP_STEPS = 200_000  # long enough to be interrupted by the other processes, as tests are
TESTS_PER_LOOP = 20
SLOWEST_TESTS = 10


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunReport())


class RunReport:
    """The plugin of the process that prints. With pytest-xdist, this is not a worker."""

    def __init__(self) -> None:
        self.seconds: dict[str, Counter[str]] = {tier: Counter() for tier in BUDGET_SECONDS}
        self.slowness: dict[str, list[float]] = {tier: [] for tier in BUDGET_SECONDS}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        tier = "slow" if "slow" in report.keywords else "fast"
        self.seconds[tier][report.nodeid] += report.duration
        if loop_seconds := getattr(report, "loop_seconds", None):
            self.slowness[tier].append(loop_seconds / LOOP_SECONDS[tier])

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> None:
        for tier, seconds in self.seconds.items():
            if not seconds:
                continue
            slowness = statistics.mean(self.slowness[tier] or [1.0])
            terminalreporter.section(f"{tier} tier")
            for line in _lines(tier, seconds, slowness, is_whole=_is_whole_run(config)):
                terminalreporter.line(line)
        for report in terminalreporter.stats.get("rerun", []):
            terminalreporter.line(f"unstable: {report.nodeid} failed once and was repeated:")
            terminalreporter.line(report.longreprtext)


def _lines(tier: str, seconds: Counter[str], slowness: float, *, is_whole: bool) -> Iterator[str]:
    for test, duration in seconds.most_common(SLOWEST_TESTS):
        yield f"{duration:7.1f} s  {test}"
    used = seconds.total() / slowness
    yield (
        f"{len(seconds)} tests: {seconds.total():.0f} s of workers, on a machine {slowness:.2f} times as"
        f" slow as the reference. That is {used:.0f} s of the budget of {BUDGET_SECONDS[tier]} s."
    )
    if is_whole and used > BUDGET_SECONDS[tier] * ALLOWED_GROWTH:
        yield f"Warning: the {tier} tier exceeds its budget by {used / BUDGET_SECONDS[tier] - 1:.0%}."


def _is_whole_run(config: pytest.Config) -> bool:
    option = config.option
    return not option.keyword and config.args == config.getini("testpaths")


_tests_until_loop = TESTS_PER_LOOP


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """Time the loop after some tests. The report takes the result to the process that prints."""
    global _tests_until_loop
    report = yield
    if call.when == "teardown":
        _tests_until_loop -= 1
        if _tests_until_loop <= 0:
            _tests_until_loop = TESTS_PER_LOOP
            report.loop_seconds = _time_loop()
    return report


def _time_loop() -> float:
    started = time.perf_counter()
    total = 0
    for step in range(LOOP_STEPS):
        total += step
    return time.perf_counter() - started
