"""Streams resume after the loss of the primary."""

import os
import sys
import time

import pytest
from pymongo import MongoClient

from socialsite.local.processes import start_child
from tests.feed.chaos.replica_set import ReplicaSet

RECIPIENT = 7
TIMEOUT_SECONDS = 60.0


@pytest.fixture
def database(tmp_path):
    with ReplicaSet(tmp_path) as members:
        yield members


def test_updates_around_the_loss_of_a_primary_are_received_once(database, tmp_path):
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "socialsite.settings"}
    env |= {"MONGODB_URI": database.uri, "MONGODB_NAME": "live", "BROKER_URL": ""}
    log = tmp_path / "listener.log"
    command = [sys.executable, "-m", "tests.notifications.listener", str(RECIPIENT)]
    child = start_child(name="listener", command=command, env=env, log=log)

    def wait_for(*lines):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while (received := received_lines(log)) != list(lines):
            assert time.monotonic() < deadline, received
            assert child.is_running, child.log_tail()
            time.sleep(0.05)

    try:
        with MongoClient(database.uri, w="majority") as client:
            boxes = client.get_database("live")["notification_boxes"]
            boxes.insert_one({"_id": RECIPIENT, "unread": 0})
            wait_for("?")  # the stream is open
            boxes.update_one({"_id": RECIPIENT}, {"$set": {"unread": 1}})
            wait_for("?", "1")
            killed = database.kill_primary()
            boxes.update_one({"_id": RECIPIENT}, {"$set": {"unread": 2}})
            wait_for("?", "1", "2")
            database.restart(killed)
            boxes.update_one({"_id": RECIPIENT}, {"$set": {"unread": 3}})
            wait_for("?", "1", "2", "3")
    finally:
        child.kill()


def received_lines(log):
    text = log.read_text() if log.exists() else ""
    return [line for line in text.splitlines() if line == "?" or line.isdigit()]
