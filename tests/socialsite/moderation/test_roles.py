"""Who may do what: the table in the docs is compared with what happens."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from accounts.blocklists.models import BlockedEmail
from accounts.models import User
from feed.models import Post
from socialsite.moderation.models import Action, Announcement, AuditEntry, Case, Rule
from socialsite.moderation.roles import create_roles
from socialsite.moderation.services.actions import take_action
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.subjects import user_subject
from tests.factories import UserFactory, publish, usual_user
from tests.worlds import world

from .desk import CASES, Desk, latest, report

ROLES = ("person", "staff", "Moderators", "Administrators", "superuser")


def table():
    """{what: {role: whether}}, as the docs say."""
    rows = {}
    for line in Path(settings.BASE_DIR, "docs/moderation.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and set(cells[1:]) <= {"yes", "no"}:
            rows[cells[0]] = {
                role: cell == "yes" for role, cell in zip(ROLES, cells[1:], strict=True)
            }
    return rows


@world
def moderated_site():
    """One of everything, made by the site and a superuser."""
    create_roles()
    alice, bob = User.objects.bulk_create([usual_user("alice"), usual_user("bob")])
    root = UserFactory(username="root", is_staff=True, is_superuser=True)
    staff = UserFactory(username="colleague", is_staff=True)
    post = publish(bob, "in question")
    direct = publish(bob, "@alice for you alone", visibility="direct")
    cases = {
        "case": report(alice, "post", post),
        "of_bob": report(alice, "person", bob.pk),
        "of_staff": report(alice, "person", staff.pk),
        "of_root": report(alice, "person", root.pk),
    }
    taken = take_action(moderator=root, kind="warn", subject=user_subject(uid=bob.pk))
    return SimpleNamespace(
        alice=alice,
        root=root,
        post=post,
        direct=direct,
        **cases,
        appeal=create_appeal(action_id=taken.pk, user=bob, text="Why?"),
        entry=AuditEntry.objects.latest("pk"),
        rule=Rule.objects.create(text="Be kind"),
        announcement=Announcement.objects.create(text="Down at noon"),
    )


@pytest.fixture
def site():
    return moderated_site.restore()


def get(path):
    return lambda client, site: client.get(path).status_code == 200


def act(case, what):
    def tried(client, site):
        Desk(client).act(getattr(site, case), what)
        return Action.objects.filter(case=getattr(site, case)).exists()

    return tried


def decide(client, site):
    Desk(client).decide(site.appeal, "refuse")
    site.appeal.refresh_from_db()
    return site.appeal.state == "refused"


def change_log(client, site):
    before = list(AuditEntry.objects.values())
    path = f"/admin/moderation/auditentry/{site.entry.pk}/"
    client.post(f"{path}change/", {"verb": "changed"})
    client.post(f"{path}delete/", {"post": "yes"})
    client.post("/admin/moderation/auditentry/add/", {"verb": "made up"})
    many = {"action": "delete_selected", "_selected_action": [site.entry.pk], "post": "yes"}
    client.post("/admin/moderation/auditentry/", many)
    return list(AuditEntry.objects.values()) != before


def change_rules(client, site):
    path = f"/admin/moderation/rule/{site.rule.pk}/change/"
    client.post(path, {"text": "Be very kind", "details": "", "order": "1"})
    client.post("/admin/moderation/rule/add/", {"text": "No spam", "details": "", "order": "2"})
    found = sorted(Rule.objects.values_list("text", flat=True))
    assert found in (["Be kind"], ["Be very kind", "No spam"])
    return len(found) == 2


def block_mail(client, site):
    client.post("/admin/accounts/blockedmail/add/", {"value": "bad.example", "reason": "spam"})
    return BlockedEmail.objects.filter(value="bad.example").exists()


def change_announcements(client, site):
    path = f"/admin/moderation/announcement/{site.announcement.pk}/delete/"
    client.post(path, {"post": "yes"})
    return not Announcement.objects.exists()


def change_a_person(client, site):
    bob = User.objects.get(username="bob")
    data = {"username": "bob", "display_name": "Bobby", "bio": "", "is_active": "on"}
    client.post(f"/admin/accounts/user/{bob.pk}/change/", data)
    return User.objects.get(pk=bob.pk).display_name == "Bobby"


def read_direct(client, site):
    found = client.get(f"/admin/feed/post/{site.direct}/change/", follow=True)
    return "for you alone" in found.content.decode()


TRIALS = {
    "open the admin": get("/admin/"),
    "see cases": get(CASES),
    "see comments": get(f"{CASES}comments/"),
    "see posts": get("/admin/feed/post/"),
    "see people": get("/admin/accounts/user/"),
    "see the actions": get("/admin/moderation/action/"),
    "remove a post": act("case", "remove"),
    "limit a person": act("of_bob", "limit"),
    "take a name away": act("of_bob", "rename"),
    "decide an appeal": decide,
    "read the log": get("/admin/moderation/auditentry/"),
    "change the log": change_log,
    "change rules": change_rules,
    "change announcements": change_announcements,
    "see what is blocked": get("/admin/accounts/blockedname/"),
    "block mail domains, names, networks": block_mail,
    "change a person": change_a_person,
    "read unreported direct posts": read_direct,
    "act on staff": act("of_staff", "limit"),
    "act on superusers": act("of_root", "limit"),
}


def test_all_of_the_table_in_the_docs_is_tried():
    assert table().keys() == TRIALS.keys()


@pytest.mark.parametrize("half", ["first", "second"])
@pytest.mark.parametrize("role", ROLES)
def test_the_table_in_the_docs_is_true(client, site, role, half):
    """Half of it in one go. A new name stands in the way of later trials, so it comes last."""
    user = UserFactory(
        username="tries", is_staff=role != "person", is_superuser=role == "superuser"
    )
    if role in ("Moderators", "Administrators"):
        from django.contrib.auth.models import Group

        user.groups.add(Group.objects.get(name=role))
    client.force_login(user)
    order = sorted(TRIALS, key=lambda what: what == "take a name away")
    middle = len(order) // 2
    order = order[:middle] if half == "first" else order[middle:]
    tried = {}
    for what in order:
        before = Action.objects.filter(case=site.of_bob).count()
        tried[what] = TRIALS[what](client, site)
        if what in ("limit a person", "take a name away"):
            tried[what] = Action.objects.filter(case=site.of_bob).count() > before
    assert tried == {what: allowed[role] for what, allowed in table().items() if what in order}


def test_nobody_acts_on_themselves(client, site):
    case = report(site.alice, "person", site.root.pk)
    client.force_login(site.root)
    assert Desk(client).act(case, "warn").status_code == 403
    assert Desk(client).do(case, do="close").status_code == 403
    assert "You may not act on this person" in Desk(client).text(case)
    other = UserFactory(username="root2", is_staff=True, is_superuser=True)
    client.force_login(other)
    assert Desk(client).act(case, "warn").status_code == 403
    assert Desk(client).do(case, do="close").status_code == 302
    assert not Case.objects.get(pk=case.pk).is_open


def test_others_reach_nothing_of_it(client, site):
    alice, desk, action = site.alice, Desk(client), latest()
    plain = UserFactory(username="plain", is_staff=True)
    for user in (None, alice, plain):
        if user is not None:
            client.force_login(user)
        for path in (
            *(f"{CASES}{site.case.pk}/change/", f"{CASES}new/?kind=post&id={site.post}"),
            *(f"{CASES}bulk/?person={alice.pk}", f"{CASES}{site.case.pk}/picture/x/"),
            *(f"{CASES}comments/", f"/admin/moderation/action/{action.pk}/change/"),
        ):
            assert client.get(path).status_code in (302, 403), path
        assert desk.act(site.case, "remove").status_code in (302, 403)
        assert desk.undo(action).status_code in (302, 403)
        assert desk.decide(site.appeal, "approve").status_code in (302, 403)
        data = {"kind": "post", "ids": [site.post], "action": "remove"}
        assert client.post(f"{CASES}bulk/", data).status_code in (302, 403)
        data = {"kind": "post", "id": site.post}
        assert client.post(f"{CASES}new/", data).status_code in (302, 403)
    assert "Open cases" not in client.get("/admin/").content.decode()
    assert Post.objects.get(pk=site.post).hidden == ""
    assert Action.objects.get(pk=action.pk).state == "in_force"
    assert Case.objects.count() == 4
