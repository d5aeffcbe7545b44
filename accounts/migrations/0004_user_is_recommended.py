from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_search_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='is_recommended',
            field=models.BooleanField(default=False, editable=False, verbose_name='recommended'),
        ),
        migrations.AddIndex(
            model_name='user',
            index=models.Index(condition=models.Q(('is_recommended', True)), fields=['is_recommended'], name='user_recommended'),
        ),
    ]
