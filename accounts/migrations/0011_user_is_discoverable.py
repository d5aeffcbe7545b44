from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_user_dismissed_announcements'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='is_discoverable',
            field=models.BooleanField(default=True, verbose_name='suggested to others'),
        ),
    ]
