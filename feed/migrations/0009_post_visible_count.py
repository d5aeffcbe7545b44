from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0008_clips'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='post',
            index=models.Index(fields=['author', 'visibility', 'hidden', '-id'], name='post_visible_count'),
        ),
    ]
