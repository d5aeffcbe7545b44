from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0003_conversations'),
    ]

    operations = [
        migrations.AddField(
            model_name='picture',
            name='is_animated',
            field=models.BooleanField(default=False, editable=False),
        ),
    ]
