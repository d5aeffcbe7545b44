from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0008_user_quote_policy'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='links_due_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
