"""A client that works on cases with the forms of the admin, and helpers for reports."""

from django.contrib.auth.models import Group

from socialsite.moderation.models import Action, Case
from socialsite.moderation.services.reports import create_report

CASES = "/admin/moderation/case/"
ACTIONS = "/admin/moderation/action/"
APPEALS = "/admin/moderation/appeal/"


class ModeratorClient:
    def __init__(self, client):
        self.client = client

    def page(self, case):
        return self.client.get(f"{CASES}{case.pk}/change/")

    def text(self, case):
        return self.page(case).content.decode()

    def do(self, case, **data):
        return self.client.post(f"{CASES}{case.pk}/do/", data)

    def act(self, case, action, **data):
        return self.do(case, **{"act": action, "should_notify": "on", "reason": "Spam", **data})

    def undo(self, action, **data):
        return self.client.post(f"{ACTIONS}{action.pk}/undo/", data)

    def decide(self, appeal, decision, **data):
        return self.client.post(f"{APPEALS}{appeal.pk}/decide/", {"decision": decision, **data})


def report(reporter, kind, id, post=0, text="It is bad", category="spam", **options):
    return create_report(
        reporter=reporter,
        kind=kind,
        subject_id=id,
        post_id=post,
        text=text,
        category=category,
        **options,
    )


def latest_action():
    return Action.objects.latest("pk")


def reload_case(case):
    return Case.objects.get(pk=case.pk)


def give_role(user, role):
    user.is_staff = True
    user.save()
    user.groups.add(Group.objects.get(name=role))
    return user
