from django.urls import path

from .views import boxes, choices, devices, live, mail, pages

urlpatterns = [
    path("notifications/", pages.notifications, name="notifications"),
    path("notifications/held/", pages.filtered, name="held_notifications"),
    path("notifications/older/", pages.history, name="older_notifications"),
    path("notifications/read/", boxes.mark_read, name="read_notifications"),
    path("notifications/unread/", boxes.mark_unread, name="unread_notifications"),
    path("notifications/seen/", boxes.mark_seen, name="seen_notifications"),
    path("notifications/dismiss/", boxes.dismiss, name="dismiss_notifications"),
    path("notifications/clear/", boxes.clear, name="clear_notifications"),
    path("notifications/let-through/", boxes.accept_filtered, name="let_through_notifications"),
    path("notifications/restore/", boxes.restore, name="restore_notifications"),
    path("settings/notifications/", choices.edit_preferences, name="choose_notifications"),
    path("settings/notifications/mail/", mail.mail_settings, name="mail_settings"),
    path("settings/notifications/devices/", devices.devices, name="devices"),
    path("settings/notifications/devices/add/", devices.add_device, name="add_device"),
    path("settings/notifications/devices/remove/", devices.remove_device, name="remove_device"),
    path("settings/notifications/devices/key/", devices.push_key, name="push_key"),
    path("worker.js", devices.service_worker, name="worker"),
    path("notifications/mail/stop/<str:token>/", mail.unsubscribe, name="unsubscribe"),
    path("posts/<id:post_id>/notifications/", choices.edit_thread, name="hear_of_post"),
    path("notifications/live/", live.live, name="live"),
    path("notifications/poll/", live.poll, name="poll"),
]
