from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0006_user_profile'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='description_reminder',
            field=models.CharField(choices=[('once', 'Remind me before I publish them'), ('require', 'Do not publish them'), ('off', 'Publish them')], default='once', editable=False, max_length=7, verbose_name='pictures without a description'),
        ),
    ]
