"""Build the conversations of existing direct posts."""

from django.db import migrations

from feed.store import conversations


def build_conversations(apps, schema_editor):
    conversations.create_indexes()
    last = 0
    while last := conversations.build_conversations(after=last):
        pass


class Migration(migrations.Migration):
    dependencies = [
        ("feed", "0002_post_words"),
    ]

    operations = [
        migrations.RunPython(build_conversations, migrations.RunPython.noop, elidable=True),
    ]
