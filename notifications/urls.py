from django.urls import path

from .views import devices, live, pages, preferences

urlpatterns = [
    path("notifications/", pages.notifications, name="notifications"),
    path("notifications/filtered/", pages.filtered, name="filtered_notifications"),
    path("notifications/older/", pages.history, name="notification_history"),
    path("notifications/read/", pages.mark_read, name="mark_notifications_read"),
    path("notifications/unread/", pages.mark_unread, name="mark_notifications_unread"),
    path("notifications/seen/", pages.mark_seen, name="mark_notifications_seen"),
    path("notifications/dismiss/", pages.dismiss, name="dismiss_notifications"),
    path("notifications/clear/", pages.clear, name="clear_notifications"),
    path(
        "notifications/filtered/accept/",
        pages.accept_filtered,
        name="accept_filtered_notifications",
    ),
    path("notifications/restore/", pages.restore, name="restore_notifications"),
    path("settings/notifications/", preferences.edit_preferences, name="notification_settings"),
    path("settings/notifications/mail/", preferences.mail_settings, name="email_settings"),
    path("settings/notifications/devices/", devices.devices, name="push_devices"),
    path("settings/notifications/devices/add/", devices.add_device, name="add_device"),
    path("settings/notifications/devices/remove/", devices.remove_device, name="remove_device"),
    path("settings/notifications/devices/key/", devices.push_key, name="push_key"),
    path("notifications/mail/stop/<str:token>/", preferences.unsubscribe, name="unsubscribe_email"),
    path("posts/<id:post_id>/notifications/", preferences.edit_thread, name="thread_notifications"),
    path("notifications/poll/", live.poll, name="live_poll"),
]
