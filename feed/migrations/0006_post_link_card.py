from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0005_post_quotes'),
    ]

    operations = [
        migrations.AddField(
            model_name='post',
            name='link_card',
            field=models.JSONField(default=None, editable=False, null=True),
        ),
    ]
