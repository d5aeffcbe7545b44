from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_user_is_recommended'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='is_indexable',
            field=models.BooleanField(default=True, verbose_name='listed by search engines'),
        ),
    ]
