from django.urls import path

from .views import choices, devices, live, mail, marks, pages

urlpatterns = [
    path("notifications/", pages.notifications, name="notifications"),
    path("notifications/held/", pages.held, name="held_notifications"),
    path("notifications/older/", pages.older, name="older_notifications"),
    path("notifications/read/", marks.read, name="read_notifications"),
    path("notifications/unread/", marks.unread, name="unread_notifications"),
    path("notifications/seen/", marks.seen, name="seen_notifications"),
    path("notifications/dismiss/", marks.dismiss, name="dismiss_notifications"),
    path("notifications/clear/", marks.clear, name="clear_notifications"),
    path("notifications/let-through/", marks.let_through, name="let_through_notifications"),
    path("notifications/restore/", marks.restore, name="restore_notifications"),
    path("settings/notifications/", choices.choose, name="choose_notifications"),
    path("settings/notifications/mail/", mail.mail_settings, name="mail_settings"),
    path("settings/notifications/devices/", devices.devices, name="devices"),
    path("settings/notifications/devices/add/", devices.add, name="add_device"),
    path("settings/notifications/devices/remove/", devices.remove, name="remove_device"),
    path("settings/notifications/devices/key/", devices.key, name="push_key"),
    path("worker.js", devices.worker, name="worker"),
    path("notifications/mail/stop/<str:token>/", mail.unsubscribe, name="unsubscribe"),
    path("posts/<id:post_id>/notifications/", choices.thread, name="hear_of_post"),
    path("notifications/live/", live.live, name="live"),
    path("notifications/poll/", live.poll, name="poll"),
]
