from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0004_picture_is_animated'),
    ]

    operations = [
        # The authors of existing posts did not know that others could quote them.
        migrations.AddField(
            model_name='post',
            name='quote_policy',
            field=models.CharField(choices=[('everyone', 'Quotes: everyone'), ('followers', 'Quotes: followers'), ('nobody', 'Quotes: nobody')], default='nobody', max_length=9, verbose_name='who can quote'),
        ),
        migrations.AlterField(
            model_name='post',
            name='quote_policy',
            field=models.CharField(choices=[('everyone', 'Quotes: everyone'), ('followers', 'Quotes: followers'), ('nobody', 'Quotes: nobody')], default='everyone', max_length=9, verbose_name='who can quote'),
        ),
        migrations.AddField(
            model_name='post',
            name='quotes',
            field=models.IntegerField(default=0, editable=False, verbose_name='quotes'),
        ),
    ]
