from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_user_is_indexable'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='header',
            field=models.CharField(blank=True, default='', editable=False, max_length=100, verbose_name='header picture'),
        ),
        migrations.AddField(
            model_name='user',
            name='profile_fields',
            field=models.JSONField(default=list, editable=False, verbose_name='profile fields'),
        ),
        migrations.AddField(
            model_name='user',
            name='is_bot',
            field=models.BooleanField(default=False, verbose_name='automated account'),
        ),
        migrations.AddField(
            model_name='user',
            name='post_visibility',
            field=models.CharField(choices=[('public', 'Public'), ('unlisted', 'Unlisted'), ('followers', 'Followers only')], default='public', editable=False, max_length=9, verbose_name='visibility of new posts'),
        ),
        migrations.AddField(
            model_name='user',
            name='post_language',
            field=models.CharField(blank=True, default='', editable=False, max_length=20, verbose_name='language of new posts'),
        ),
    ]
