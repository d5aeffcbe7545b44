from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("feed", "0005_post_quotes")]

    operations = [
        migrations.AddField(
            model_name="picture",
            name="draft",
            field=models.BigIntegerField(editable=False, null=True),
        )
    ]
