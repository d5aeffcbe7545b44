"""The report of a run, as text for the terminal and the file ``report.md``."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.load.pace import LIMIT_MILLISECONDS, SLOW_BY_DESIGN
from tests.load.record import PHASES, REQUESTS, read_lines
from tests.load.samples import MEGABYTE, Sample, cores

MINUTES = (1, 5, 10)
"""Minutes of the steady phase for which the report shows the memory of each process."""

MAX_KINDS = 40
AFFECTED_SECONDS = 30


@dataclass(frozen=True)
class Request:
    at: float
    page: str
    milliseconds: float
    status: int
    error: str


@dataclass(frozen=True)
class Phase:
    name: str
    starts_at: float
    ends_at: float
    factor: float

    @property
    def seconds(self) -> float:
        return self.ends_at - self.starts_at

    def contains(self, moment: float) -> bool:
        return self.starts_at <= moment < self.ends_at


@dataclass(frozen=True)
class Fault:
    """A process that was killed at ``at``, and restarted at ``restarted_at`` (seconds since 1970)."""

    name: str
    at: float
    restarted_at: float


def write_report(
    folder: Path,
    *,
    title: str,
    samples: Sequence[Sample],
    faults: Sequence[Fault],
    extra: Iterable[str],
) -> str:
    """Return the report, and write it to the folder. ``extra``: further paragraphs."""
    requests = [Request(*line) for line in read_lines(folder / REQUESTS)]
    phases = _phases(read_lines(folder / PHASES))
    steady = [phase for phase in phases if phase.name == "steady"]
    parts = [f"# {title}"]
    for phase in steady:
        during = [request for request in requests if phase.contains(request.at)]
        parts += [
            f"## Steady phase: {phase.seconds:.0f} s, {len(during) / phase.seconds:.1f} requests/s",
            _pages(during, phase.seconds),
            _cpu(phase, samples),
            _memory(phase, samples),
        ]
    parts.append(_backlog(samples))
    parts.append(_errors(requests, phases))
    climbs = [phase for phase in phases if phase.name == "climb"]
    if climbs:
        parts += ["## Rising rate", _climb(climbs, requests, samples)]
    if faults:
        parts += ["## Faults", _faults(faults, requests, phases[-1].ends_at)]
    text = "\n\n".join([*parts, *extra]) + "\n"
    (folder / "report.md").write_text(text)
    return text


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def percentile(sorted_values: Sequence[float], share: float) -> float:
    return sorted_values[min(int(len(sorted_values) * share), len(sorted_values) - 1)]


def _phases(lines: Sequence[tuple[float, str, float]]) -> list[Phase]:
    return [
        Phase(name, starts_at, ends_at, factor)
        for (starts_at, name, factor), (ends_at, _, _) in pairwise(lines)
    ]


def _pages(requests: Sequence[Request], seconds: float) -> str:
    times, errors = defaultdict(list), Counter()
    for request in requests:
        if request.error:
            errors[request.page] += 1
        elif request.status:
            times[request.page].append(request.milliseconds)
            if request.page not in SLOW_BY_DESIGN:
                times["all, except " + ", ".join(SLOW_BY_DESIGN)].append(request.milliseconds)
    rows = []
    for page in sorted(times.keys() | errors.keys(), key=lambda name: -len(times[name])):
        values = sorted(times[page]) or [0.0]
        shown = [f"{percentile(values, share):.0f}" for share in (0.5, 0.95, 0.99)]
        rate = f"{len(times[page]) / seconds:.2f}"
        rows.append((page, len(times[page]), rate, *shown, f"{values[-1]:.0f}", errors[page]))
    head = ("page", "requests", "per second", "p50 ms", "p95 ms", "p99 ms", "max ms", "errors")
    return table(head, rows)


def _cpu(phase: Phase, samples: Sequence[Sample]) -> str:
    usage, machine = cpu_usage(phase, samples)
    others = machine * cores() - sum(share for _, share in usage)
    rows = [(role, f"{share:.0%}") for role, share in (*usage, ("other programs", max(others, 0)))]
    rows.append((f"the machine, of {cores()} cores", f"{machine:.0%}"))
    return table(("process", "CPU, of one core"), rows)


def cpu_usage(phase: Phase, samples: Sequence[Sample]) -> tuple[list[tuple[str, float]], float]:
    """Return [(role, share of one core)], the largest first, and the share of all cores."""
    during = [sample for sample in samples if phase.contains(sample.at - sample.seconds / 2)]
    seconds = sum(sample.seconds for sample in during) or 1.0
    total: Counter[str] = Counter()
    for sample in during:
        total.update(sample.cpu)
    machine = sum(sample.machine for sample in during) / seconds / cores()
    return [(role, used / seconds) for role, used in total.most_common()], machine


def _memory(phase: Phase, samples: Sequence[Sample]) -> str:
    moments = [minute for minute in MINUTES if minute * 60 <= phase.seconds + 5]
    chosen = [_nearest(samples, phase.starts_at + minute * 60) for minute in moments]
    names = sorted({name for sample in chosen for name in sample.memory})
    rows = [
        (f"{role} ({pid})", *(_megabytes(sample.memory.get((role, pid))) for sample in chosen))
        for role, pid in names
    ]
    return table(("process", *(f"MB, minute {minute}" for minute in moments)), rows)


def _nearest(samples: Sequence[Sample], moment: float) -> Sample:
    return min(samples, key=lambda sample: abs(sample.at - moment))


def _megabytes(size: int | None) -> str:
    return "" if size is None else f"{size / MEGABYTE:.0f}"


def _backlog(samples: Sequence[Sample]) -> str:
    sizes = [sample.backlog for sample in samples if sample.backlog >= 0] or [0]
    counts = f"at most {max(sizes)}, {sizes[-1]} at the end"
    return f"Backlog (unfinished deliveries and waiting tasks): {counts}."


def _errors(requests: Sequence[Request], phases: Sequence[Phase]) -> str:
    kinds = Counter(
        (phase.name, request.page, request.error)
        for request in requests
        if request.error
        for phase in phases
        if phase.contains(request.at)
    )
    if not kinds:
        return "Errors: none."
    rows = [(*kind, count) for kind, count in kinds.most_common(MAX_KINDS)]
    return f"Errors: {kinds.total()}\n\n" + table(("phase", "page", "error", "times"), rows)


def _climb(climbs: Sequence[Phase], requests: Sequence[Request], samples: Sequence[Sample]) -> str:
    rows, verdict = [], f"The 99th percentile stayed below {LIMIT_MILLISECONDS} ms."
    for phase in climbs:
        during = [request for request in requests if phase.contains(request.at) and request.status]
        times = sorted(r.milliseconds for r in during if r.page not in SLOW_BY_DESIGN) or [0.0]
        home = sorted(r.milliseconds for r in during if r.page == "home") or [0.0]
        usage, machine = cpu_usage(phase, samples)
        rate = len(times) / phase.seconds
        shown = [f"{percentile(times, share):.0f}" for share in (0.5, 0.95, 0.99)]
        cpu = ", ".join(f"{role} {share:.0%}" for role, share in usage)
        errors = sum(1 for request in requests if phase.contains(request.at) and request.error)
        shown += [f"{percentile(home, 0.99):.0f}", str(errors), f"{machine:.0%}", cpu]
        rows.append((phase.factor, f"{rate:.1f}", *shown))
        if percentile(times, 0.99) > LIMIT_MILLISECONDS:
            busiest, share = usage[0]
            verdict = (
                f"The 99th percentile passed {LIMIT_MILLISECONDS} ms at {rate:.1f} requests/s, "
                f"{phase.factor} times the steady rate. The machine was {machine:.0%} "
                f"busy. The largest part: {busiest}, {share:.0%} of one core."
            )
            break
    head = ("factor", "requests/s", "p50 ms", "p95 ms", "p99 ms", "home p99 ms", "errors")
    return table((*head, "CPU of the machine", "CPU of one core"), rows) + f"\n\n{verdict}"


def _faults(faults: Sequence[Fault], requests: Sequence[Request], end: float) -> str:
    rows = []
    for fault, next_at in zip(faults, [*(fault.at for fault in faults[1:]), end], strict=True):
        after = [
            r for r in requests if r.error and fault.at <= r.at + r.milliseconds / 1000 < next_at
        ]
        moments = [request.at + request.milliseconds / 1000 - fault.at for request in after]
        span = f"{min(moments):.1f} to {max(moments):.1f}" if moments else "none"
        kinds = Counter(f"{request.page}: {request.error}" for request in after)
        listed = "; ".join(f"{count} times {kind}" for kind, count in kinds.most_common(8))
        restarted = f"{fault.restarted_at - fault.at:.1f}"
        slowest = max((r.milliseconds for r in requests if _is_affected(r, fault)), default=0.0)
        rows.append((fault.name, restarted, f"{slowest:.0f}", len(after), span, listed))
    head = ("killed", "restarted after s", "slowest request ms", "errors")
    head = (*head, "errors seen, s after the kill", "kinds")
    return table(head, rows)


def _is_affected(request: Request, fault: Fault) -> bool:
    """Return whether a request was answered within half a minute after the fault."""
    ends_at = request.at + request.milliseconds / 1000
    return bool(request.status) and fault.at <= ends_at < fault.at + AFFECTED_SECONDS
