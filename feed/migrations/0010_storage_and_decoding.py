from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0009_post_visible_count'),
    ]

    operations = [
        migrations.AddField(
            model_name='archive',
            name='decoded_pixels',
            field=models.BigIntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='archive',
            name='decoding_seconds',
            field=models.FloatField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='picture',
            name='stored_bytes',
            field=models.BigIntegerField(default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name='picture',
            index=models.Index(fields=['owner', 'post', 'stored_bytes'], name='picture_by_owner'),
        ),
    ]
