"""URLs of the API: notifications, single and grouped, markers and push subscriptions."""

from django.urls import path

from accounts.infra.api.endpoints import route

from . import (
    markers,
    notification_groups,
    notification_policy,
    notification_requests,
    notifications,
    push_subscription,
    thread_mutes,
)

GROUPS = "v2/notifications"
STATUS = "v1/statuses/<id:status_id>"
NOTIFICATIONS = "v1/notifications"


urlpatterns = [
    path(f"{STATUS}/mute", route(post=thread_mutes.mute_thread)),
    path(f"{STATUS}/unmute", route(post=thread_mutes.unmute_thread)),
    path("v1/markers", route(get=markers.show_markers, post=markers.save_markers)),
    path(NOTIFICATIONS, route(get=notifications.list_notifications)),
    path(f"{NOTIFICATIONS}/dismiss", route(post=notifications.dismiss_by_id)),
    path(f"{NOTIFICATIONS}/clear", route(post=notifications.clear_notifications)),
    path(f"{NOTIFICATIONS}/unread_count", route(get=notifications.unread_count)),
    path(
        f"{NOTIFICATIONS}/policy",
        route(
            get=notification_policy.show_policy_v1,
            put=notification_policy.update_policy_v1,
            patch=notification_policy.update_policy_v1,
        ),
    ),
    path(f"{NOTIFICATIONS}/requests", route(get=notification_requests.list_requests)),
    path(f"{NOTIFICATIONS}/requests/accept", route(post=notification_requests.accept_requests)),
    path(f"{NOTIFICATIONS}/requests/dismiss", route(post=notification_requests.dismiss_requests)),
    path(f"{NOTIFICATIONS}/requests/merged", route(get=notification_requests.show_merged_state)),
    path(f"{NOTIFICATIONS}/requests/<id:uid>", route(get=notification_requests.show_request)),
    path(
        f"{NOTIFICATIONS}/requests/<id:uid>/accept",
        route(post=notification_requests.accept_request),
    ),
    path(
        f"{NOTIFICATIONS}/requests/<id:uid>/dismiss",
        route(post=notification_requests.dismiss_request),
    ),
    path(f"{NOTIFICATIONS}/<id:notification_id>", route(get=notifications.show_notification)),
    path(
        f"{NOTIFICATIONS}/<id:notification_id>/dismiss",
        route(post=notifications.dismiss_notification),
    ),
    path(GROUPS, route(get=notification_groups.list_groups)),
    path(f"{GROUPS}/unread_count", route(get=notification_groups.unread_group_count)),
    path(
        f"{GROUPS}/policy",
        route(
            get=notification_policy.show_policy,
            patch=notification_policy.update_policy,
            put=notification_policy.update_policy,
        ),
    ),
    path(f"{GROUPS}/<str:key>", route(get=notification_groups.show_group)),
    path(f"{GROUPS}/<str:key>/dismiss", route(post=notification_groups.dismiss_group)),
    path(f"{GROUPS}/<str:key>/accounts", route(get=notification_groups.group_accounts)),
    path(
        "v1/push/subscription",
        route(
            get=push_subscription.show_subscription,
            post=push_subscription.create_subscription,
            put=push_subscription.update_subscription,
            delete=push_subscription.delete_subscription,
        ),
    ),
]
