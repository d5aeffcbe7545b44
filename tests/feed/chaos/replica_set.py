"""A replica set of three embedded servers that elects a new primary within seconds."""

import signal
import time
from pathlib import Path

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from socialsite.local.mongod import start_replica_set_member
from socialsite.local.mongodb_uri import REPLICA_SET
from socialsite.local.ports import free_port

MEMBERS = 3
SECONDS = 90.0
OPTIONS = ("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "128")
SETTINGS = {"electionTimeoutMillis": 1000, "heartbeatIntervalMillis": 250}
PRIMARY, SECONDARY = 1, 2


class ReplicaSet:
    def __init__(self, folder: Path):
        self.folder = folder
        self.ports = [free_port() for _ in range(MEMBERS)]
        self.members = [self._start(port) for port in self.ports]
        hosts = [f"127.0.0.1:{port}" for port in self.ports]
        self.uri = f"mongodb://{','.join(hosts)}/?replicaSet={REPLICA_SET}"
        config = {
            "_id": REPLICA_SET,
            "members": [{"_id": n, "host": host} for n, host in enumerate(hosts)],
            "settings": SETTINGS,
        }
        self._wait(lambda: all(self._ask(port, "ping") for port in self.ports))
        self._ask(self.ports[0], "replSetInitiate", config)
        self.wait_until_complete()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for member in self.members:
            member.kill()

    def kill_primary(self):
        """Kill the primary and return its member number."""
        number = self._states().index(PRIMARY)
        self.members[number].kill()
        return number

    def restart(self, number):
        self.members[number] = self._start(self.ports[number])

    def wait_until_complete(self):
        """Wait until there is a primary and all other members are secondaries."""
        self._wait(lambda: sorted(self._states()) == [PRIMARY] + [SECONDARY] * (MEMBERS - 1))

    def _start(self, port):
        return start_replica_set_member(
            self.folder / f"member-{port}",
            port,
            log=self.folder / f"member-{port}.log",
            options=OPTIONS,
            parent_death_signal=signal.SIGKILL,
        )

    def _states(self):
        """Return each member's replication state, or 0 for a member that does not answer."""
        return [self._ask(port, "replSetGetStatus").get("myState", 0) for port in self.ports]

    def _ask(self, port, command, value=1):
        try:
            with MongoClient(
                "127.0.0.1", port, directConnection=True, serverSelectionTimeoutMS=500
            ) as client:
                return client.admin.command(command, value)
        except PyMongoError:
            return {}

    def _wait(self, condition):
        deadline = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < deadline, self._states()
            time.sleep(0.05)
