from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0002_visibility_and_shares'),
    ]

    operations = [
        migrations.CreateModel(
            name='Delivery',
            fields=[
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('feed.post',),
        ),
    ]
