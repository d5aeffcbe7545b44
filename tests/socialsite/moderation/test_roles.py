"""Permissions on the site match the table in the docs."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from accounts.blocklists.models import BlockedEmail
from accounts.brand.models import Brand
from accounts.models import User
from feed.models import Post
from socialsite.moderation.models import Action, Announcement, AuditEntry, Case, PageVersion, Rule
from socialsite.moderation.roles import create_roles
from socialsite.moderation.services.actions import take_action
from socialsite.moderation.services.appeals import create_appeal
from socialsite.moderation.subjects import user_subject
from tests.factories import UserFactory, publish, usual_user
from tests.worlds import world

from .moderator_client import CASES, ModeratorClient, latest_action, report

ROLES = ("person", "staff", "Moderators", "Administrators", "superuser")


def table():
    """Return ``{task: {role: is_allowed}}`` from the docs."""
    rows = {}
    text = Path(settings.BASE_DIR, "docs/moderation.md").read_text()
    for lowest in (*ROLES, "nobody"):
        allowed = ROLES[ROLES.index(lowest) :] if lowest in ROLES else ()
        for tasks in re.findall(rf"^\| {lowest} \| (.*) \|$", text, re.MULTILINE):
            rows |= {task: {role: role in allowed for role in ROLES} for task in tasks.split("; ")}
    return rows


@world
def moderated_site():
    """A site with at least one object of every kind that moderators work with."""
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
    action = take_action(moderator=root, kind="warn", subject=user_subject(uid=bob.pk))
    return SimpleNamespace(
        alice=alice,
        root=root,
        post=post,
        direct=direct,
        **cases,
        appeal=create_appeal(action_id=action.pk, user=bob, text="Why?"),
        entry=AuditEntry.objects.latest("pk"),
        rule=Rule.objects.create(text="Be kind"),
        announcement=Announcement.objects.create(text="Down at noon"),
    )


@pytest.fixture
def site():
    return moderated_site.restore()


def can_get(path):
    return lambda client, site: client.get(path).status_code == 200


def act(case, action):
    def attempt(client, site):
        ModeratorClient(client).act(getattr(site, case), action)
        return Action.objects.filter(case=getattr(site, case)).exists()

    return attempt


def decide(client, site):
    ModeratorClient(client).decide(site.appeal, "reject")
    site.appeal.refresh_from_db()
    return site.appeal.state == "rejected"


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
    texts = sorted(Rule.objects.values_list("text", flat=True))
    assert texts in (["Be kind"], ["Be very kind", "No spam"])
    return len(texts) == 2


def block_mail(client, site):
    client.post("/admin/accounts/blockedemail/add/", {"value": "bad.example", "reason": "spam"})
    return BlockedEmail.objects.filter(value="bad.example").exists()


def change_announcements(client, site):
    path = f"/admin/moderation/announcement/{site.announcement.pk}/delete/"
    client.post(path, {"post": "yes"})
    return not Announcement.objects.exists()


def change_standard_pages(client, site):
    path = "/admin/moderation/pageversion/privacy/"
    client.post(path, {"text": f"Version {PageVersion.objects.count()}", "do": "save"})
    return PageVersion.objects.exists() and client.get(path).status_code == 200


def change_brand(client, site):
    path = "/admin/moderation/brand/"
    client.post(path, {"name": "Ours", "language": "en", "do": "save"})
    return Brand.objects.filter(name="Ours").exists() and client.get(path).status_code == 200


def change_user(client, site):
    bob = User.objects.get(username="bob")
    data = {"username": "bob", "display_name": "Bobby", "bio": "", "is_active": "on"}
    client.post(f"/admin/accounts/user/{bob.pk}/change/", data)
    return User.objects.get(pk=bob.pk).display_name == "Bobby"


def recommend(client, site):
    bob = User.objects.get(email="bob@example.org")
    data = {"action": "recommend", "_selected_action": [bob.pk]}
    client.post("/admin/accounts/user/", data)
    return User.objects.get(pk=bob.pk).is_recommended


def read_direct(client, site):
    response = client.get(f"/admin/feed/post/{site.direct}/change/", follow=True)
    return "for you alone" in response.content.decode()


ATTEMPTS = {
    "open the admin": can_get("/admin/"),
    "see cases": can_get(CASES),
    "see comments": can_get(f"{CASES}comments/"),
    "see posts": can_get("/admin/feed/post/"),
    "see people": can_get("/admin/accounts/user/"),
    "see the actions": can_get("/admin/moderation/action/"),
    "remove a post": act("case", "remove"),
    "limit a person": act("of_bob", "limit"),
    "recommend a person": recommend,
    "take a name away": act("of_bob", "rename"),
    "decide an appeal": decide,
    "read the log": can_get("/admin/moderation/auditentry/"),
    "change the log": change_log,
    "change rules": change_rules,
    "change announcements": change_announcements,
    "change standard pages": change_standard_pages,
    "change the branding": change_brand,
    "see what is blocked": can_get("/admin/accounts/blockedname/"),
    "block mail domains, names, networks": block_mail,
    "change a person": change_user,
    "read unreported direct posts": read_direct,
    "act on staff": act("of_staff", "limit"),
    "act on superusers": act("of_root", "limit"),
}


def test_every_row_of_the_table_in_the_docs_is_tested():
    assert table().keys() == ATTEMPTS.keys()


@pytest.mark.parametrize("half", ["first", "second"])
@pytest.mark.parametrize("role", ROLES)
def test_permissions_match_the_table_in_the_docs(client, site, role, half):
    """Check half of the table. "take a name away" is last, because other tasks need the name."""
    user = UserFactory(
        username="tries", is_staff=role != "person", is_superuser=role == "superuser"
    )
    if role in ("Moderators", "Administrators"):
        from django.contrib.auth.models import Group

        user.groups.add(Group.objects.get(name=role))
    client.force_login(user)
    tasks = sorted(ATTEMPTS, key=lambda task: task == "take a name away")
    middle = len(tasks) // 2
    tasks = tasks[:middle] if half == "first" else tasks[middle:]
    results = {}
    for task in tasks:
        old_count = Action.objects.filter(case=site.of_bob).count()
        results[task] = ATTEMPTS[task](client, site)
        if task in ("limit a person", "take a name away"):
            results[task] = Action.objects.filter(case=site.of_bob).count() > old_count
    assert results == {task: allowed[role] for task, allowed in table().items() if task in tasks}


def test_superusers_cannot_act_on_themselves(client, site):
    case = report(site.alice, "person", site.root.pk)
    client.force_login(site.root)
    assert ModeratorClient(client).act(case, "warn").status_code == 403
    assert ModeratorClient(client).do(case, do="close").status_code == 403
    assert "You do not have permission to moderate this user" in ModeratorClient(client).text(case)
    other = UserFactory(username="root2", is_staff=True, is_superuser=True)
    client.force_login(other)
    assert ModeratorClient(client).act(case, "warn").status_code == 403
    assert ModeratorClient(client).do(case, do="close").status_code == 302
    assert not Case.objects.get(pk=case.pk).is_open


def test_other_users_reach_no_moderation_page(client, site):
    alice, moderator_client, action = site.alice, ModeratorClient(client), latest_action()
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
        assert moderator_client.act(site.case, "remove").status_code in (302, 403)
        assert moderator_client.undo(action).status_code in (302, 403)
        assert moderator_client.decide(site.appeal, "approve").status_code in (302, 403)
        data = {"kind": "post", "ids": [site.post], "action": "remove"}
        assert client.post(f"{CASES}bulk/", data).status_code in (302, 403)
        data = {"kind": "post", "id": site.post}
        assert client.post(f"{CASES}new/", data).status_code in (302, 403)
    assert "Open cases" not in client.get("/admin/").content.decode()
    assert Post.objects.get(pk=site.post).hidden == ""
    assert Action.objects.get(pk=action.pk).state == "in_force"
    assert Case.objects.count() == 4
