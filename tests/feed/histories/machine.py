"""Lets hypothesis choose what happens: who does what to whom, when, and where a process dies.

Each deed says from what its arguments are chosen, so that ``random_history`` can choose too: blindly, and
for one seed always the same.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from django.conf import settings
from django.test import override_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from accounts.models import User
from accounts.services import follows
from accounts.services.blocks_and_mutes import block_user
from accounts.services.follows import unfollow_user

from .site import Site, forget_history

PEOPLE = 4
PERSON = range(PEOPLE)
ANY_NUMBER = range(1001)
VISIBILITY = ["public"] * 5 + ["unlisted", "followers", "direct"]
SELDOM = [False, False, False, True]
STEP = range(7)
EITHER = [False, True]

Deed = Callable[..., None]
Condition = Callable[["Histories"], Any]
DEEDS: dict[str, tuple[dict[str, Sequence[Any]], Condition]] = {}


def deed(*, when: Condition = lambda _: True, **choices: Sequence[Any]) -> Callable[[Deed], Deed]:
    """A rule of the machine whose arguments are chosen from these."""

    def make(function: Deed) -> Deed:
        DEEDS[function.__name__] = (choices, when)
        drawn = {name: st.sampled_from(post) for name, post in choices.items()}
        return precondition(when)(rule(**drawn)(function))

    return make


def there_are_texts(histories: "Histories") -> bool:
    return bool(histories.site.oracle.texts)


class Histories(RuleBasedStateMachine):
    """Set ``people`` in a subclass: they are the same in all histories."""

    people: list[User]

    def __init__(self) -> None:
        super().__init__()
        forget_history()
        self.site = Site(self.people)
        self.push_limit = override_settings(FEED_PUSH_LIMIT=1000)
        self.push_limit.enable()

    def teardown(self) -> None:
        try:
            self.site.compare_all()
        finally:
            self.push_limit.disable()

    @initialize(
        pairs=st.lists(st.tuples(st.sampled_from(PERSON), st.sampled_from(PERSON)), max_size=6)
    )
    def begin_with_follows(self, pairs: list[tuple[int, int]]) -> None:
        for a, b in pairs:
            if a != b:
                self.site.follow(self.uid(a), self.uid(b))
        for uid in self.site.uids:
            self.site.build(uid)

    @deed(n=PERSON)
    def publish_much(self, n: int) -> None:
        """Enough to fill a bucket and more."""
        for _ in range(6):
            self.site.publish(self.uid(n))

    @deed(n=PERSON, count=range(1, 9), visibility=VISIBILITY, late=SELDOM)
    def publish(self, n: int, count: int, visibility: str, late: bool) -> None:
        for _ in range(count):
            self.site.publish(self.uid(n), visibility=visibility, late=late)

    @deed(when=there_are_texts, n=PERSON, which=ANY_NUMBER, late=SELDOM)
    def share(self, n: int, which: int, late: bool) -> None:
        originals = [post.id for post in self.site.oracle.texts.values() if post.share_of is None]
        if originals:
            self.site.share(self.uid(n), originals[which % len(originals)], late=late)

    @deed(when=there_are_texts, which=ANY_NUMBER)
    def undo_share(self, which: int) -> None:
        shares = [post for post in self.site.oracle.texts.values() if post.share_of is not None]
        if shares:
            row = shares[which % len(shares)]
            self.site.undo_share(row.author, row.share_of or 0)

    @deed(when=there_are_texts, which=ANY_NUMBER)
    def edit(self, which: int) -> None:
        self.site.edit(self.text(which), f"edited {which}")

    @deed(when=there_are_texts, which=ANY_NUMBER)
    def delete(self, which: int) -> None:
        self.site.delete(self.text(which))

    @deed(when=there_are_texts, which=ANY_NUMBER)
    def deliver_again(self, which: int) -> None:
        self.site.deliver(self.text(which))

    @deed(when=there_are_texts, which=ANY_NUMBER, at=STEP)
    def die_delivering(self, which: int, at: int) -> None:
        self.site.deliver_crashing(self.text(which), at)

    @deed(when=lambda self: self.site.late)
    def deliver_what_is_late(self) -> None:
        for text in sorted(self.site.late):
            self.site.deliver(text)

    @deed(a=PERSON, b=PERSON, unfilled=SELDOM)
    def follow(self, a: int, b: int, unfilled: bool) -> None:
        if a != b:
            self.site.follow(self.uid(a), self.uid(b), unfilled=unfilled)

    @deed(a=PERSON, b=PERSON)
    def unfollow(self, a: int, b: int) -> None:
        self.site.oracle.unfollow(self.uid(a), self.uid(b))
        unfollow_user(follower=self.uid(a), followee=self.uid(b))

    @deed(a=PERSON, b=PERSON)
    def accept(self, a: int, b: int) -> None:
        self.site.accept(self.uid(a), self.uid(b))

    @deed(a=PERSON, b=PERSON)
    def remove_follower(self, a: int, b: int) -> None:
        self.site.oracle.remove_follower(self.uid(a), self.uid(b))
        follows.remove_follower(uid=self.uid(a), follower=self.uid(b))

    @deed(a=PERSON, b=PERSON)
    def block(self, a: int, b: int) -> None:
        if a != b:
            self.site.oracle.block(self.uid(a), self.uid(b))
            block_user(owner=self.uid(a), other=self.uid(b))

    @deed(when=lambda self: self.site.oracle.blocks, which=ANY_NUMBER, unfilled=SELDOM)
    def unblock(self, which: int, unfilled: bool) -> None:
        blocks = sorted(self.site.oracle.blocks)
        self.site.unblock(*blocks[which % len(blocks)], unfilled=unfilled)

    @deed(a=PERSON, b=PERSON)
    def mute(self, a: int, b: int) -> None:
        if a != b:
            self.site.mute(self.uid(a), self.uid(b))

    @deed(when=lambda self: self.site.oracle.mutes, which=ANY_NUMBER, by_time=EITHER)
    def end_mute(self, which: int, by_time: bool) -> None:
        mutes = sorted(self.site.oracle.mutes)
        self.site.end_mute(*mutes[which % len(mutes)], by_time=by_time)

    @deed(a=PERSON, b=PERSON, hidden=EITHER)
    def hide_shares(self, a: int, b: int, hidden: bool) -> None:
        self.site.hide_shares(self.uid(a), self.uid(b), hidden=hidden)

    @deed(a=PERSON, private=EITHER)
    def go_private(self, a: int, private: bool) -> None:
        self.site.set_private(self.uid(a), private=private)

    @deed(limit=[0, 1, 1000, 1000])
    def change_push_limit(self, limit: int) -> None:
        settings.FEED_PUSH_LIMIT = limit

    @deed(when=lambda self: self.site.unfilled)
    def fill(self) -> None:
        self.site.fill()

    @deed(n=PERSON)
    def go_dormant(self, n: int) -> None:
        self.site.drop(self.uid(n))

    @deed(n=PERSON, at=STEP)
    def die_dropping(self, n: int, at: int) -> None:
        self.site.drop(self.uid(n), crash_at=at)

    @deed(n=PERSON)
    def come_back_to_a_late_worker(self, n: int) -> None:
        self.site.begin(self.uid(n))

    @deed(n=PERSON)
    def build(self, n: int) -> None:
        self.site.build(self.uid(n))

    @deed()
    def seal(self) -> None:
        self.site.seal()

    @deed(n=PERSON)
    def look(self, n: int) -> None:
        self.site.compare(self.uid(n))

    @deed(when=there_are_texts, n=PERSON, which=ANY_NUMBER)
    def look_from_somewhere(self, n: int, which: int) -> None:
        self.site.compare(self.uid(n), start=self.text(which))

    def uid(self, n: int) -> int:
        return self.site.uids[n]

    def text(self, which: int) -> int:
        ids = sorted(self.site.oracle.texts)
        return ids[which % len(ids)]


def random_history(machine: type[Histories], *, steps: int, chance: Random) -> None:
    """One history in which each deed is as likely as any other; compared as all are."""
    history = machine()
    try:
        history.begin_with_follows(
            pairs=[(chance.choice(PERSON), chance.choice(PERSON)) for _ in range(6)]
        )
        for _ in range(steps):
            possible = [name for name, (_, when) in sorted(DEEDS.items()) if when(history)]
            name = chance.choice(possible)
            choices, _when = DEEDS[name]
            getattr(history, name)(**{key: chance.choice(post) for key, post in choices.items()})
    except BaseException:
        history.push_limit.disable()
        raise
    history.teardown()
