from django.urls import path, re_path, register_converter

from . import paging
from .api.endpoints import route
from .api.userinfo import userinfo
from .views import (
    apps,
    invitations,
    lists,
    pictures,
    relationships,
    requests,
    sessions,
    settings,
    standing,
    webfinger,
)
from .views.popups import in_a_pop_up

register_converter(paging.IdConverter, "id")

urlpatterns = [
    path("people/", lists.people, name="people"),
    path("requests/", requests.requests, name="requests"),
    path("requests/<str:username>/accept/", requests.accept_request, name="accept_request"),
    path("requests/<str:username>/refuse/", requests.refuse_request, name="refuse_request"),
    path("@<str:username>/followers/", lists.followers, name="followers"),
    path("@<str:username>/following/", lists.following, name="following"),
    path("@<str:username>/follow/", relationships.follow, name="follow"),
    path("@<str:username>/unfollow/", relationships.unfollow, name="unfollow"),
    path("@<str:username>/remove/", relationships.remove_follower, name="remove_follower"),
    path("@<str:username>/block/", relationships.block, name="block"),
    path("@<str:username>/unblock/", relationships.unblock, name="unblock"),
    path("@<str:username>/mute/", relationships.mute, name="mute"),
    path("@<str:username>/unmute/", relationships.unmute, name="unmute"),
    path("@<str:username>/shares/", relationships.shares, name="shares"),
    path("settings/profile/", settings.edit_profile, name="edit_profile"),
    path("settings/username/", settings.rename, name="rename"),
    path("settings/privacy/", settings.privacy, name="privacy"),
    path("settings/privacy/blocked/", settings.blocked, name="blocked"),
    path("settings/privacy/muted/", settings.muted, name="muted"),
    path("settings/invitations/", invitations.invitations, name="invitations"),
    path(
        "settings/invitations/<id:invitation_id>/revoke/",
        invitations.revoke_invitation,
        name="revoke_invitation",
    ),
    path("invitations/<str:key>/", invitations.open_invitation, name="open_invitation"),
    path("settings/sessions/", sessions.sessions, name="sessions"),
    path("settings/sessions/end/", sessions.end_others, name="end_other_sessions"),
    path("settings/sessions/<id:session_id>/end/", sessions.end, name="end_session"),
    path("settings/apps/", apps.apps, name="apps"),
    path("settings/apps/<id:app_id>/revoke/", apps.revoke_app, name="revoke_app"),
    path("oauth/authorize", in_a_pop_up(apps.Authorize.as_view()), name="authorize_app"),
    path("oauth/token", apps.Token.as_view(), name="token"),
    path("oauth/revoke", apps.Revoke.as_view(), name="revoke_token"),
    path("oauth/userinfo", route(get=userinfo, post=userinfo), name="userinfo"),
    path(".well-known/oauth-authorization-server", apps.metadata, name="oauth_metadata"),
    path(".well-known/webfinger", webfinger.webfinger, name="webfinger"),
    path(".well-known/host-meta", webfinger.host_meta, name="host_meta"),
    path("settings/account/", standing.account, name="account_settings"),
    path("settings/account/deactivate/", standing.deactivate, name="deactivate_account"),
    path("settings/account/delete/", standing.delete, name="delete_account"),
    path("standing/", standing.standing, name="account_standing"),
    path("standing/come-back/", standing.come_back, name="come_back"),
    path("standing/keep/", standing.keep_account, name="keep_account"),
    path("theme/", settings.set_theme, name="set_theme"),
    path("avatars/<id:uid>.svg", pictures.identicon, name="identicon"),
    path("avatars/<id:uid>.png", pictures.drawn_avatar, name="drawn_avatar"),
    re_path(
        r"^media/avatars/(?P<name>[0-9]{1,19}-[0-9a-f]{32})\.webp$",
        pictures.avatar,
        name="avatar",
    ),
]
