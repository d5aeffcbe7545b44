"""Archives for tests: handwritten in Mastodon's format, or exported by the site."""

import io
import json
import zipfile
from collections import Counter

from django.utils import timezone

from accounts.infra.ids import new_id
from accounts.models import User
from socialsite.archive import exporter, importer
from socialsite.archive.contents import check_archive
from socialsite.archive.media import ImportJob
from socialsite.archive.source import open_source

ALICE = "https://mastodon.example/users/alice"
PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
FOLLOWERS = f"{ALICE}/followers"
ACTOR = {
    "@context": ["https://www.w3.org/ns/activitystreams"],
    "id": ALICE,
    "type": "Person",
    "followers": FOLLOWERS,
    "preferredUsername": "alice",
    "outbox": "outbox.json",
}


def note(number, content="<p>Hello</p>", **changed):
    """Return an outbox entry for a new status, as Mastodon 4 writes it.

    ``changed`` replaces ``published``, ``to``, ``cc`` and other fields of the status.
    """
    at = f"{ALICE}/statuses/{number}"
    published = changed.pop("published", f"2019-05-{number % 28 + 1:02}T10:00:00Z")
    to = changed.pop("to", [PUBLIC])
    cc = changed.pop("cc", [FOLLOWERS])
    return {
        "id": f"{at}/activity",
        "type": "Create",
        "actor": ALICE,
        "published": published,
        "to": to,
        "cc": cc,
        "object": {
            "id": at,
            "type": "Note",
            "summary": None,
            "inReplyTo": None,
            "published": published,
            "url": f"https://mastodon.example/@alice/{number}",
            "attributedTo": ALICE,
            "to": to,
            "cc": cc,
            "sensitive": False,
            "atomUri": at,
            "conversation": f"tag:mastodon.example,2019-05-01:objectId={number}:objectType=Conversation",
            "content": content,
            "contentMap": {"en": content},
            "attachment": [],
            "tag": [],
            "replies": {"id": f"{at}/replies", "type": "Collection"},
        }
        | changed,
    }


def outbox(*items):
    return {
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": "outbox.json",
        "type": "OrderedCollection",
        "totalItems": len(items),
        "orderedItems": list(items),
    }


def zipped(*items, actor=ACTOR, **files):
    """Return a zip with ``items`` as its outbox.

    The keys of ``files`` are paths in the zip, with ``__`` for a slash and ``_dot_`` for a dot.
    """
    named = {
        name.replace("__", "/").replace("_dot_", "."): content for name, content in files.items()
    }
    return packed({"actor.json": actor, "outbox.json": outbox(*items), **named})


def packed(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            if not isinstance(content, bytes | str):
                content = json.dumps(content)
            archive.writestr(name, content)
    return out.getvalue()


def exported(owner):
    out = io.BytesIO()
    exporter.write_archive(owner=User.objects.get(pk=owner.pk), file=out, advance=lambda by: None)
    return out.getvalue()


def entry(content, name):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        result = archive.read(name)
    return json.loads(result) if name.endswith(".json") else result


def names(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def import_zip(content, owner, mark=None):
    """Import the archive and return the counts of the import, such as ``{"posts": 12}``.

    ``mark`` is the id of the import. By default, each call is a new import.
    """
    last = Counter()

    def save_counts(done, counts):
        last.clear()
        last.update(counts)

    with open_source(file=io.BytesIO(content)) as source:
        job = ImportJob(source, owner, timezone.now(), mark or new_id())
        contents = check_archive(source=source, owner=owner, before=job.before)
        last.update(contents.skipped)
        importer.import_contents(
            job=job,
            contents=contents,
            steps_done=0,
            counts=Counter(contents.skipped),
            save_progress=save_counts,
        )
    return dict(last)
