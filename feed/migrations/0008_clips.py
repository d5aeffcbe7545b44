from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0007_picture_draft'),
    ]

    operations = [
        migrations.AddField(
            model_name='picture',
            name='attempts',
            field=models.IntegerField(default=0, editable=False),
        ),
        migrations.AddField(
            model_name='picture',
            name='due_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='picture',
            name='error',
            field=models.CharField(blank=True, default='', editable=False, max_length=20),
        ),
        migrations.AddField(
            model_name='picture',
            name='kind',
            field=models.CharField(choices=[('image', 'picture'), ('video', 'video'), ('audio', 'audio')], default='image', editable=False, max_length=5),
        ),
        migrations.AddField(
            model_name='picture',
            name='playback',
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='picture',
            name='source_format',
            field=models.CharField(blank=True, default='', editable=False, max_length=10),
        ),
        migrations.AddField(
            model_name='picture',
            name='state',
            field=models.CharField(choices=[('ready', 'ready'), ('processing', 'in progress'), ('failed', 'failed')], default='ready', editable=False, max_length=10),
        ),
        migrations.AddIndex(
            model_name='picture',
            index=models.Index(condition=models.Q(('state', 'processing')), fields=['due_at'], name='picture_processing'),
        ),
    ]
