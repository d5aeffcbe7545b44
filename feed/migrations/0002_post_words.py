"""Find public posts by their words, with one index that is ordered by time."""

from django.db import migrations, models

import feed.post_words
from feed.store import text_search


def build_words(apps, schema_editor):
    text_search.drop_old_index()
    last = 0
    while last := text_search.rebuild_words(after=last, limit=500)[2]:
        pass


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='post',
            name='words',
            field=feed.post_words.PostWordsField(base_field=models.CharField(max_length=501), default=list, editable=False, size=None),
        ),
        migrations.RunPython(build_words, migrations.RunPython.noop, elidable=True),
    ]
