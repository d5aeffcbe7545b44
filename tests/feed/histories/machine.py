"""Let hypothesis choose the actions of a history: actor, target, time and crashes.

Each action lists the possible values of its arguments. ``random_history`` chooses from the same values
with a seeded generator, so that a history can be repeated.
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

from .site import Site, reset_site

PEOPLE = 4
PERSON = range(PEOPLE)
ANY_NUMBER = range(1001)
VISIBILITY = ["public"] * 5 + ["unlisted", "followers", "direct"]
RARELY = [False, False, False, True]
STEP = range(7)
BOTH = [False, True]

Action = Callable[..., None]
Condition = Callable[["Histories"], Any]
ACTIONS: dict[str, tuple[dict[str, Sequence[Any]], Condition]] = {}


def action(
    *, when: Condition = lambda _: True, **choices: Sequence[Any]
) -> Callable[[Action], Action]:
    """Register a method as a rule of the machine.

    Args:
        when: condition under which the rule may run.
        choices: possible values of each argument.
    """

    def make(function: Action) -> Action:
        ACTIONS[function.__name__] = (choices, when)
        drawn = {name: st.sampled_from(values) for name, values in choices.items()}
        return precondition(when)(rule(**drawn)(function))

    return make


def has_texts(histories: "Histories") -> bool:
    return bool(histories.site.oracle.texts)


class Histories(RuleBasedStateMachine):
    """A state machine that runs one history.

    Subclasses set ``people``, the users who act in the history.
    """

    people: list[User]

    def __init__(self) -> None:
        super().__init__()
        reset_site()
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
        self.site.begin_with_follows({(self.uid(a), self.uid(b)) for a, b in pairs if a != b})
        for uid in self.site.uids:
            self.site.build(uid)

    @action(n=PERSON)
    def publish_much(self, n: int) -> None:
        """Publish six posts, which is enough to seal buckets."""
        for _ in range(6):
            self.site.publish(self.uid(n))

    @action(n=PERSON, count=range(1, 9), visibility=VISIBILITY, late=RARELY)
    def publish(self, n: int, count: int, visibility: str, late: bool) -> None:
        for _ in range(count):
            self.site.publish(self.uid(n), visibility=visibility, late=late)

    @action(when=has_texts, n=PERSON, index=ANY_NUMBER, late=RARELY)
    def share(self, n: int, index: int, late: bool) -> None:
        originals = [post.id for post in self.site.oracle.texts.values() if post.share_of is None]
        if originals:
            self.site.share(self.uid(n), originals[index % len(originals)], late=late)

    @action(when=has_texts, index=ANY_NUMBER)
    def undo_share(self, index: int) -> None:
        shares = [post for post in self.site.oracle.texts.values() if post.share_of is not None]
        if shares:
            share = shares[index % len(shares)]
            self.site.undo_share(share.author, share.share_of or 0)

    @action(when=has_texts, index=ANY_NUMBER)
    def edit(self, index: int) -> None:
        self.site.edit(self.text(index), f"edited {index}")

    @action(when=has_texts, index=ANY_NUMBER)
    def delete(self, index: int) -> None:
        self.site.delete(self.text(index))

    @action(when=has_texts, index=ANY_NUMBER)
    def deliver_again(self, index: int) -> None:
        self.site.deliver(self.text(index))

    @action(when=has_texts, index=ANY_NUMBER, at=STEP)
    def die_delivering(self, index: int, at: int) -> None:
        self.site.deliver_crashing(self.text(index), at)

    @action(when=lambda self: self.site.late)
    def deliver_what_is_late(self) -> None:
        for text in sorted(self.site.late):
            self.site.deliver(text)

    @action(a=PERSON, b=PERSON, unfilled=RARELY)
    def follow(self, a: int, b: int, unfilled: bool) -> None:
        if a != b:
            self.site.follow(self.uid(a), self.uid(b), unfilled=unfilled)

    @action(a=PERSON, b=PERSON)
    def unfollow(self, a: int, b: int) -> None:
        self.site.oracle.unfollow(self.uid(a), self.uid(b))
        unfollow_user(follower=self.uid(a), followee=self.uid(b))

    @action(a=PERSON, b=PERSON)
    def accept(self, a: int, b: int) -> None:
        self.site.accept(self.uid(a), self.uid(b))

    @action(a=PERSON, b=PERSON)
    def remove_follower(self, a: int, b: int) -> None:
        self.site.oracle.remove_follower(self.uid(a), self.uid(b))
        follows.remove_follower(uid=self.uid(a), follower=self.uid(b))

    @action(a=PERSON, b=PERSON)
    def block(self, a: int, b: int) -> None:
        if a != b:
            self.site.oracle.block(self.uid(a), self.uid(b))
            block_user(owner=self.uid(a), other=self.uid(b))

    @action(when=lambda self: self.site.oracle.blocks, index=ANY_NUMBER, unfilled=RARELY)
    def unblock(self, index: int, unfilled: bool) -> None:
        blocks = sorted(self.site.oracle.blocks)
        self.site.unblock(*blocks[index % len(blocks)], unfilled=unfilled)

    @action(a=PERSON, b=PERSON)
    def mute(self, a: int, b: int) -> None:
        if a != b:
            self.site.mute(self.uid(a), self.uid(b))

    @action(when=lambda self: self.site.oracle.mutes, index=ANY_NUMBER, by_time=BOTH)
    def end_mute(self, index: int, by_time: bool) -> None:
        mutes = sorted(self.site.oracle.mutes)
        self.site.end_mute(*mutes[index % len(mutes)], by_time=by_time)

    @action(a=PERSON, b=PERSON, hidden=BOTH)
    def hide_shares(self, a: int, b: int, hidden: bool) -> None:
        self.site.hide_shares(self.uid(a), self.uid(b), hidden=hidden)

    @action(a=PERSON, private=BOTH)
    def go_private(self, a: int, private: bool) -> None:
        self.site.set_private(self.uid(a), private=private)

    @action(limit=[0, 1, 1000, 1000])
    def change_push_limit(self, limit: int) -> None:
        settings.FEED_PUSH_LIMIT = limit

    @action(when=lambda self: self.site.unfilled)
    def fill(self) -> None:
        self.site.fill()

    @action(n=PERSON)
    def go_dormant(self, n: int) -> None:
        self.site.drop(self.uid(n))

    @action(n=PERSON, at=STEP)
    def die_dropping(self, n: int, at: int) -> None:
        self.site.drop(self.uid(n), crash_at=at)

    @action(n=PERSON)
    def come_back_to_a_late_worker(self, n: int) -> None:
        self.site.begin(self.uid(n))

    @action(n=PERSON)
    def build(self, n: int) -> None:
        self.site.build(self.uid(n))

    @action()
    def seal(self) -> None:
        self.site.seal()

    @action(n=PERSON)
    def look(self, n: int) -> None:
        self.site.compare(self.uid(n))

    @action(when=has_texts, n=PERSON, index=ANY_NUMBER)
    def look_from_somewhere(self, n: int, index: int) -> None:
        self.site.compare(self.uid(n), start=self.text(index))

    def uid(self, n: int) -> int:
        return self.site.uids[n]

    def text(self, index: int) -> int:
        ids = sorted(self.site.oracle.texts)
        return ids[index % len(ids)]


def random_history(machine: type[Histories], *, steps: int, chance: Random) -> None:
    """Run a history in which all actions are equally likely, and compare it with the model."""
    history = machine()
    try:
        history.begin_with_follows(
            pairs=[(chance.choice(PERSON), chance.choice(PERSON)) for _ in range(6)]
        )
        for _ in range(steps):
            possible = [name for name, (_, when) in sorted(ACTIONS.items()) if when(history)]
            name = chance.choice(possible)
            choices, _when = ACTIONS[name]
            getattr(history, name)(
                **{key: chance.choice(values) for key, values in choices.items()}
            )
    except BaseException:
        history.push_limit.disable()
        raise
    history.teardown()
