"""Find users by words of their names and bios, and despite typos."""

import django_mongodb_backend.fields
from django.db import migrations, models

import accounts.search_keys
from accounts.store import user_search


def build_keys(apps, schema_editor):
    user_search.drop_old_indexes()
    last = 0
    while last := user_search.rebuild_keys(after=last, limit=500)[2]:
        pass


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_user_time_zone'),
    ]

    operations = [
        migrations.RemoveField(model_name='user', name='name_words'),
        migrations.AddField(
            model_name='user',
            name='search_keys',
            field=accounts.search_keys.SearchKeysField(base_field=models.CharField(max_length=32), default=list, editable=False, size=None),
        ),
        migrations.RunPython(build_keys, migrations.RunPython.noop, elidable=True),
    ]
