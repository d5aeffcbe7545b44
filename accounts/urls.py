from django.urls import path, re_path

from .api.userinfo import userinfo
from .infra.api.endpoints import route
from .views import (
    account_status,
    apps,
    avatars,
    brand,
    follow_requests,
    invitations,
    language,
    relationships,
    sessions,
    settings,
    user_pages,
    webfinger,
)
from .views.popups import keep_opener

urlpatterns = [
    path("site-logo/<str:name>.webp", brand.site_logo, name="site_logo"),
    path("site-theme.<slug:color>.<slug:digest>.css", brand.site_theme, name="site_theme"),
    path("requests/", follow_requests.follow_requests, name="follow_requests"),
    path(
        "requests/<str:username>/accept/",
        follow_requests.accept_follow_request,
        name="accept_follow_request",
    ),
    path(
        "requests/<str:username>/refuse/",
        follow_requests.reject_follow_request,
        name="reject_follow_request",
    ),
    path("@<str:username>/followers/", user_pages.followers, name="followers"),
    path("@<str:username>/following/", user_pages.following, name="following"),
    path("@<str:username>/follow/", relationships.follow, name="follow"),
    path("@<str:username>/unfollow/", relationships.unfollow, name="unfollow"),
    path("@<str:username>/notify/", relationships.subscribe, name="subscribe"),
    path("@<str:username>/remove/", relationships.remove_follower, name="remove_follower"),
    path("@<str:username>/block/", relationships.block, name="block"),
    path("@<str:username>/unblock/", relationships.unblock, name="unblock"),
    path("@<str:username>/mute/", relationships.mute, name="mute"),
    path("@<str:username>/unmute/", relationships.unmute, name="unmute"),
    path("@<str:username>/shares/", relationships.hide_shares, name="hide_shares"),
    path("@<str:username>/feature/", relationships.feature, name="feature_person"),
    path("@<str:username>/note/", relationships.edit_note, name="edit_note"),
    path("settings/", settings.settings_index, name="settings"),
    path("settings/appearance/", settings.appearance_settings, name="appearance_settings"),
    path("settings/profile/", settings.edit_profile, name="edit_profile"),
    path("settings/username/", settings.change_username, name="change_username"),
    path("settings/privacy/", settings.privacy_settings, name="privacy_settings"),
    path("settings/privacy/blocked/", settings.blocked_users, name="blocked_users"),
    path("settings/privacy/muted/", settings.muted_users, name="muted_users"),
    path("settings/invitations/", invitations.invitations, name="invitations"),
    path(
        "settings/invitations/<id:invitation_id>/revoke/",
        invitations.revoke_invitation,
        name="revoke_invitation",
    ),
    path("invitations/<str:key>/", invitations.open_invitation, name="open_invitation"),
    path("settings/sessions/", sessions.sessions, name="sessions"),
    path("settings/sessions/end/", sessions.end_other_sessions, name="end_other_sessions"),
    path("settings/sessions/<id:session_id>/end/", sessions.end_session, name="end_session"),
    path("settings/apps/", apps.authorized_apps, name="authorized_apps"),
    path("settings/apps/<id:app_id>/revoke/", apps.revoke_app, name="revoke_app"),
    path("oauth/authorize", keep_opener(apps.AuthorizeView.as_view()), name="oauth_authorize"),
    path("oauth/token", apps.TokenView.as_view(), name="oauth_token"),
    path("oauth/revoke", apps.RevokeTokenView.as_view(), name="oauth_revoke"),
    path("oauth/userinfo", route(get=userinfo, post=userinfo), name="oauth_userinfo"),
    path(".well-known/oauth-authorization-server", apps.oauth_metadata, name="oauth_metadata"),
    path(".well-known/webfinger", webfinger.webfinger, name="webfinger"),
    path(".well-known/host-meta", webfinger.host_meta, name="host_meta"),
    path("settings/account/", account_status.account_settings, name="account_settings"),
    path(
        "settings/account/deactivate/", account_status.deactivate_account, name="deactivate_account"
    ),
    path("settings/account/delete/", account_status.delete_account, name="delete_account"),
    path("standing/", account_status.account_status, name="account_status"),
    path("standing/come-back/", account_status.reactivate_account, name="reactivate_account"),
    path("standing/keep/", account_status.cancel_deletion, name="cancel_deletion"),
    path("language/", language.choose_language, name="choose_language"),
    path("theme/", settings.set_theme, name="set_theme"),
    path("shortcuts/", settings.shortcuts, name="shortcuts"),
    path("shortcuts/set/", settings.set_shortcuts, name="set_shortcuts"),
    re_path(
        r"^avatars/(?P<color>[0-9]{1,2})-(?P<letter>\w)\.svg$", avatars.initial_svg, name="initial"
    ),
    re_path(
        r"^avatars/(?P<color>[0-9]{1,2})-(?P<letter>[0-9A-Z_])\.png$",
        avatars.initial_png,
        name="initial_png",
    ),
    re_path(
        r"^media/avatars/(?P<name>[0-9]{1,19}-[0-9a-f]{32})\.webp$",
        avatars.avatar,
        name="avatar",
    ),
    re_path(
        r"^media/headers/(?P<name>[0-9]{1,19}-[0-9a-f]{32})\.webp$",
        avatars.header_picture,
        name="header_picture",
    ),
]
