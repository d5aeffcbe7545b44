"""Lets hypothesis choose what happens: who does what to whom, when, and where a process dies."""

from django.conf import settings
from django.test import override_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from accounts import services as accounts
from accounts.models import User

from .site import Site, forget_history

PEOPLE = 4
person = st.integers(0, PEOPLE - 1)
any_number = st.integers(0, 1000)
visibility = st.sampled_from(["public"] * 5 + ["unlisted", "followers", "direct"])
seldom = st.sampled_from([False, False, False, True])
step = st.integers(0, 6)


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

    @initialize(pairs=st.lists(st.tuples(person, person), max_size=6))
    def begin_with_follows(self, pairs: list[tuple[int, int]]) -> None:
        for a, b in pairs:
            if a != b:
                self.site.follow(self.uid(a), self.uid(b))
        for uid in self.site.uids:
            self.site.build(uid)

    @rule(n=person)
    def publish_much(self, n: int) -> None:
        """Enough to fill a bucket and more."""
        for _ in range(6):
            self.site.publish(self.uid(n))

    @rule(n=person, count=st.integers(1, 8), visibility=visibility, late=seldom)
    def publish(self, n: int, count: int, visibility: str, late: bool) -> None:
        for _ in range(count):
            self.site.publish(self.uid(n), visibility=visibility, late=late)

    @precondition(lambda self: self.site.oracle.texts)
    @rule(n=person, which=any_number, late=seldom)
    def share(self, n: int, which: int, late: bool) -> None:
        originals = [one.id for one in self.site.oracle.texts.values() if one.share_of is None]
        if originals:
            self.site.share(self.uid(n), originals[which % len(originals)], late=late)

    @precondition(lambda self: self.site.oracle.texts)
    @rule(which=any_number)
    def undo_share(self, which: int) -> None:
        shares = [one for one in self.site.oracle.texts.values() if one.share_of is not None]
        if shares:
            one = shares[which % len(shares)]
            self.site.undo_share(one.author, one.share_of or 0)

    @precondition(lambda self: self.site.oracle.texts)
    @rule(which=any_number)
    def edit(self, which: int) -> None:
        self.site.edit(self.text(which), f"edited {which}")

    @precondition(lambda self: self.site.oracle.texts)
    @rule(which=any_number)
    def delete(self, which: int) -> None:
        self.site.delete(self.text(which))

    @precondition(lambda self: self.site.oracle.texts)
    @rule(which=any_number)
    def deliver_again(self, which: int) -> None:
        self.site.deliver(self.text(which))

    @precondition(lambda self: self.site.oracle.texts)
    @rule(which=any_number, at=step)
    def die_delivering(self, which: int, at: int) -> None:
        self.site.deliver_crashing(self.text(which), at)

    @precondition(lambda self: self.site.late)
    @rule()
    def deliver_what_is_late(self) -> None:
        for text in sorted(self.site.late):
            self.site.deliver(text)

    @rule(a=person, b=person, unfilled=seldom)
    def follow(self, a: int, b: int, unfilled: bool) -> None:
        if a != b:
            self.site.follow(self.uid(a), self.uid(b), unfilled=unfilled)

    @rule(a=person, b=person)
    def unfollow(self, a: int, b: int) -> None:
        self.site.oracle.unfollow(self.uid(a), self.uid(b))
        accounts.unfollow(follower=self.uid(a), followee=self.uid(b))

    @rule(a=person, b=person)
    def accept(self, a: int, b: int) -> None:
        self.site.accept(self.uid(a), self.uid(b))

    @rule(a=person, b=person)
    def remove_follower(self, a: int, b: int) -> None:
        self.site.oracle.remove_follower(self.uid(a), self.uid(b))
        accounts.remove_follower(uid=self.uid(a), follower=self.uid(b))

    @rule(a=person, b=person)
    def block(self, a: int, b: int) -> None:
        if a != b:
            self.site.oracle.block(self.uid(a), self.uid(b))
            accounts.block(owner=self.uid(a), other=self.uid(b))

    @precondition(lambda self: self.site.oracle.blocks)
    @rule(which=any_number, unfilled=seldom)
    def unblock(self, which: int, unfilled: bool) -> None:
        blocks = sorted(self.site.oracle.blocks)
        self.site.unblock(*blocks[which % len(blocks)], unfilled=unfilled)

    @rule(a=person, b=person)
    def mute(self, a: int, b: int) -> None:
        if a != b:
            self.site.mute(self.uid(a), self.uid(b))

    @precondition(lambda self: self.site.oracle.mutes)
    @rule(which=any_number, by_time=st.booleans())
    def end_mute(self, which: int, by_time: bool) -> None:
        mutes = sorted(self.site.oracle.mutes)
        self.site.end_mute(*mutes[which % len(mutes)], by_time=by_time)

    @rule(a=person, b=person, hidden=st.booleans())
    def hide_shares(self, a: int, b: int, hidden: bool) -> None:
        self.site.hide_shares(self.uid(a), self.uid(b), hidden=hidden)

    @rule(a=person, private=st.booleans())
    def go_private(self, a: int, private: bool) -> None:
        self.site.set_private(self.uid(a), private=private)

    @rule(limit=st.sampled_from([0, 1, 1000, 1000]))
    def change_push_limit(self, limit: int) -> None:
        settings.FEED_PUSH_LIMIT = limit

    @precondition(lambda self: self.site.unfilled)
    @rule()
    def fill(self) -> None:
        self.site.fill()

    @rule(n=person)
    def go_dormant(self, n: int) -> None:
        self.site.drop(self.uid(n))

    @rule(n=person, at=step)
    def die_dropping(self, n: int, at: int) -> None:
        self.site.drop(self.uid(n), crash_at=at)

    @rule(n=person)
    def come_back_to_a_late_worker(self, n: int) -> None:
        self.site.begin(self.uid(n))

    @rule(n=person)
    def build(self, n: int) -> None:
        self.site.build(self.uid(n))

    @rule()
    def seal(self) -> None:
        self.site.seal()

    @rule(n=person)
    def look(self, n: int) -> None:
        self.site.compare(self.uid(n))

    @precondition(lambda self: self.site.oracle.texts)
    @rule(n=person, which=any_number)
    def look_from_somewhere(self, n: int, which: int) -> None:
        self.site.compare(self.uid(n), start=self.text(which))

    def uid(self, n: int) -> int:
        return self.site.uids[n]

    def text(self, which: int) -> int:
        ids = sorted(self.site.oracle.texts)
        return ids[which % len(ids)]
