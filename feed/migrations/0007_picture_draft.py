from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [('feed', '0006_post_link_card')]

    operations = [
        migrations.AddField(
            model_name="picture",
            name="draft",
            field=models.BigIntegerField(editable=False, null=True),
        )
    ]
