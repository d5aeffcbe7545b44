"""CPU and memory of each process, and the backlog of the site, every few seconds."""

import os
import time
from dataclasses import dataclass, field

import psutil
from pymongo import MongoClient
from pymongo.errors import PyMongoError

SECONDS = 5.0
MEGABYTE = 2**20


@dataclass
class Sample:
    """One measurement.

    Attributes:
        at: time in seconds since 1970.
        cpu: seconds of CPU since the last sample, by role.
        machine: seconds of CPU that all processes of the machine took since the last sample.
        memory: resident memory in bytes, by (role, pid).
        backlog: unfinished deliveries and waiting tasks, -1 if the database did not answer.
    """

    at: float
    seconds: float
    cpu: dict[str, float] = field(default_factory=dict)
    machine: float = 0.0
    memory: dict[tuple[str, int], int] = field(default_factory=dict)
    backlog: int = -1


class Sampler:
    """Measure processes by role, with all their children."""

    def __init__(self, mongodb_uri: str, database: str):
        self._client = MongoClient(mongodb_uri, serverSelectionTimeoutMS=500)
        self._posts = self._client[database]["feed_post"]
        self._tasks = self._client[f"{database}_jobs"]["messages"]
        self._cpu: dict[int, float] = {}
        self._machine = _machine_seconds()
        self._at = time.time()

    def sample(self, pids_by_role: dict[str, list[int]]) -> Sample:
        now, machine = time.time(), _machine_seconds()
        result = Sample(now, now - self._at, machine=machine - self._machine)
        self._at, self._machine = now, machine
        for role, pids in pids_by_role.items():
            for process in _with_children(pids):
                try:
                    times = process.cpu_times()
                    result.memory[role, process.pid] = process.memory_info().rss
                except psutil.Error:
                    continue
                total = times.user + times.system
                # A process that is new to the sampler has used its CPU since it started.
                used = total - self._cpu.get(process.pid, 0.0)
                self._cpu[process.pid] = total
                result.cpu[role] = result.cpu.get(role, 0.0) + used
        try:
            pending = self._posts.count_documents({"delivery_state": "pending"})
            result.backlog = pending + self._tasks.estimated_document_count()
        except PyMongoError:
            pass
        return result


def _with_children(pids: list[int]) -> list[psutil.Process]:
    processes = []
    for pid in pids:
        try:
            process = psutil.Process(pid)
            processes += [process, *process.children(recursive=True)]
        except psutil.Error:
            continue
    return processes


def _machine_seconds() -> float:
    """Return the seconds that the cores of this machine have been busy."""
    times = psutil.cpu_times()
    return times.user + times.nice + times.system + times.irq + times.softirq


def cores() -> int:
    return len(os.sched_getaffinity(0))
