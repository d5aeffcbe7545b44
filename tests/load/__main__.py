"""``make load``: run the scenario against the processes of the demo, and write a report.

    python -m tests.load [--people 100] [--minutes 10] [--faults] [--idle-streams 10000] ...

The site runs in a scratch folder, which is deleted afterwards. The report and the records of all
requests stay in ``--report`` (default: a new folder in the folder for temporary files).
"""

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

from socialsite.local.processes import ChildProcess, start_child
from tests.load import faults, samples
from tests.load.idle import IdleStreams
from tests.load.record import PHASES, read_lines
from tests.load.report import write_report
from tests.load.site import Site

TICK_SECONDS = 0.2
ARRIVALS_PER_SECOND = 2
"""People who log in, per second. A password takes a quarter of a second of CPU."""

MAX_ACTIVE_STREAMS = 1000
RUN_LIMIT_SECONDS = 3 * 3600


def main() -> int:
    options = _options()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    report = options.report or Path(tempfile.mkdtemp(prefix="socialsite-load-report-"))
    report.mkdir(parents=True, exist_ok=True)
    data = Path(tempfile.mkdtemp(prefix="socialsite-load-", dir=options.scratch))
    try:
        with Site(
            data,
            has_replica_set=options.faults,
            max_streams=options.idle_streams + MAX_ACTIVE_STREAMS,
        ) as site:
            _say(f"Seeding {options.users} users and {options.posts} posts in {data}")
            site.prepare(people=options.users, posts=options.posts)
            return _run(site, options, report)
    finally:
        if options.keep:
            _say(f"The data is in {data}")
        else:
            shutil.rmtree(data, ignore_errors=True)


def _run(site: Site, options: argparse.Namespace, report: Path) -> int:
    if options.idle_streams:
        site.run_script("tests.load.sessions", str(options.idle_streams))
    site.start()
    others: dict[str, ChildProcess] = {}
    idle = IdleStreams(site, report, count=options.idle_streams) if options.idle_streams else None
    try:
        if idle:
            _say(f"Opening {options.idle_streams} idle streams")
            others["idle clients"] = idle.child
            idle.wait_until_open()
        shutil.copy(site.folder / "usernames.json", report)
        _say(f"{options.people} people arrive at {site.url}. Records are in {report}")
        others["clients"] = _start_clients(site, options, report)
        result = _watch(site, others, options, report)
        extra = [idle.summary()] if idle else []
        if options.faults or options.verify:
            extra.append(faults.verify(site, report))
    finally:
        for child in others.values():
            child.stop(timeout_seconds=10)
    title = f"Load test: {options.people} people, {options.minutes:g} minutes"
    text = write_report(
        report, title=title, samples=result.samples, faults=result.faults, extra=extra
    )
    sys.stdout.write(f"{text}\nThe report is in {report}\n")
    return 0


class _Result:
    def __init__(self) -> None:
        self.samples: list[samples.Sample] = []
        self.faults: list[faults.Fault] = []


def _watch(
    site: Site, others: dict[str, ChildProcess], options: argparse.Namespace, report: Path
) -> _Result:
    """Measure, kill and restart processes until the clients are done."""
    result, clients = _Result(), others["clients"]
    sampler = samples.Sampler(site.env["MONGODB_URI"], "socialsite")
    plan = faults.Plan(site, seconds=options.minutes * 60) if options.faults else None
    next_sample, phase = time.monotonic(), ""
    sampler.sample(_pids(site, others))
    while clients.is_running:
        time.sleep(TICK_SECONDS)
        site.restart_dead()
        if time.monotonic() >= next_sample:
            next_sample += samples.SECONDS
            result.samples.append(sampler.sample(_pids(site, others)))
            phases = read_lines(report / PHASES)
            if phases and phases[-1][1:] != phase:
                phase = phases[-1][1:]
                _say(f"{time.strftime('%H:%M:%S')} phase: {phase[0]}, factor {phase[1]}")
                if plan and phase[0] == "steady":
                    plan.begin()
        if plan:
            plan.step()
    if plan:
        result.faults = plan.end()
    if clients.process.returncode not in (0, 1):  # 1: there were errors, which the report shows
        _say(clients.log_tail(lines=20))
    return result


def _pids(site: Site, others: dict[str, ChildProcess]) -> dict[str, list[int]]:
    pids = {role: [child.process.pid] for role, child in (site.children | others).items()}
    if site.replica_set:
        pids["mongod"] = [member.process.pid for member in site.replica_set.members]
    return pids


def _start_clients(site: Site, options: argparse.Namespace, report: Path) -> ChildProcess:
    command = [sys.executable, "-m", "locust", "-f", "tests/load/scenario.py", "--headless"]
    command += ["--host", site.url, "--users", str(options.people)]
    command += ["--spawn-rate", str(ARRIVALS_PER_SECOND), "--loglevel", "WARNING"]
    command += ["--run-time", f"{RUN_LIMIT_SECONDS}s", "--stop-timeout", "5"]
    env = {
        **os.environ,
        "LOAD_FOLDER": str(report),
        "LOAD_STREAMS": site.streams_url,
        "LOAD_STEADY_SECONDS": str(options.minutes * 60),
        "LOAD_CLIMBS": "" if options.faults or options.no_climb else "1",
        "LOAD_CLIMB_SECONDS": str(options.climb_seconds),
    }
    return start_child(name="The clients", command=command, env=env, log=report / "clients.log")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make load", description="Measure the site under load.")
    parser.add_argument("--people", type=int, default=100, help="active at the same time")
    parser.add_argument("--minutes", type=float, default=10, help="of the steady phase")
    parser.add_argument("--climb-seconds", type=float, default=60, help="of each higher rate")
    parser.add_argument("--no-climb", action="store_true", help="only the steady phase")
    parser.add_argument("--faults", action="store_true", help="kill processes, one after the other")
    parser.add_argument("--verify", action="store_true", help="look for every acknowledged write")
    parser.add_argument("--idle-streams", type=int, default=0, help="open streams of other users")
    parser.add_argument("--users", type=int, default=5000, help="of the site")
    parser.add_argument("--posts", type=int, default=20_000, help="of the site at the start")
    parser.add_argument("--report", type=Path, help="folder for the report and the records")
    parser.add_argument("--scratch", type=Path, help="folder for the data of the site")
    parser.add_argument("--keep", action="store_true", help="do not delete the data")
    return parser.parse_args()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
