from django.db import migrations, models
from django_mongodb_backend.fields import ArrayField


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_user_description_reminder'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='dismissed_announcements',
            field=ArrayField(models.BigIntegerField(), default=list, editable=False),
        ),
    ]
