from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class NotificationsConfig(AppConfig):
    name = "notifications"
    verbose_name = _("Notifications")

    def ready(self) -> None:
        from feed import providers

        from . import checks, receivers  # noqa: F401 - they register themselves
        from .store.threads import muted_posts_query
        from .store.unread_messages import unread_posts_query

        providers.muted_posts_queries.append(
            lambda uid, posts: muted_posts_query(uid=uid, posts=posts)
        )
        providers.unread_posts_queries.append(lambda uid: unread_posts_query(uid=uid))

        # Django sends ``post_migrate`` only for apps with models. This app has no models, so the receiver
        # listens to the signal of the feed.
        feed = apps.get_app_config("feed")
        post_migrate.connect(receivers.create_indexes, sender=feed)
