"""The file that locust runs: ``locust -f tests/load/scenario.py``. ``__main__`` starts it.

Environment: ``LOAD_FOLDER``, ``LOAD_STREAMS`` (the origin of streams), ``LOAD_STEADY_SECONDS``,
``LOAD_CLIMBS`` (1 or empty), and the file ``usernames.json`` in the folder.
"""

import json
import os
import random

import gevent
from locust import events

from tests.load.apps import AppUser
from tests.load.client import LoadUser, pace, record
from tests.load.pace import run_phases
from tests.load.people import Member, Person, Visitor
from tests.load.record import load_folder

__all__ = ["AppUser", "Person", "Visitor"]


@events.test_start.add_listener
def start(environment, **_):
    LoadUser.usernames = json.loads((load_folder() / "usernames.json").read_text())
    random.shuffle(LoadUser.usernames)
    Member.stream_origin = os.environ["LOAD_STREAMS"]
    gevent.spawn(_flush_forever)
    gevent.spawn(
        run_phases,
        environment=environment,
        pace=pace,
        record=record,
        people=environment.parsed_options.num_users,
        steady_seconds=float(os.environ["LOAD_STEADY_SECONDS"]),
        climbs=bool(os.environ["LOAD_CLIMBS"]),
    )


@events.quitting.add_listener
def stop(**_):
    record.flush()


def _flush_forever() -> None:
    while True:
        gevent.sleep(1)
        record.flush()
