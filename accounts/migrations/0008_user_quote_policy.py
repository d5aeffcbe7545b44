from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_user_description_reminder'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='quote_policy',
            field=models.CharField(choices=[('everyone', 'Everyone'), ('followers', 'Followers'), ('nobody', 'Only me')], default='everyone', editable=False, max_length=9, verbose_name='who can quote new posts'),
        ),
    ]
