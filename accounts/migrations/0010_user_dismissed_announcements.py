from django.db import migrations, models
from django_mongodb_backend.fields import ArrayField


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_user_links_due_at'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='dismissed_announcements',
            field=ArrayField(models.BigIntegerField(), default=list, editable=False),
        ),
    ]
