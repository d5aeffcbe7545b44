from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_user_is_discoverable'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='has_sensitive_media',
            field=models.BooleanField(default=False, editable=False, verbose_name='hide media behind a warning'),
        ),
    ]
