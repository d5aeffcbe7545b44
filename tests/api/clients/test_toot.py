"""Log-in, profile and instance with ``toot``, a widely used command line client."""

import time

from accounts.models import User
from accounts.oauth.models import AccessToken
from accounts.selectors import access_tokens
from tests.api.clients.command_line import Toot
from tests.factories import PASSWORD
from tests.uploads import picture


def test_users_log_in_switch_accounts_and_log_out(site, alice, bob, tmp_path):
    toot = Toot(home=tmp_path, site=site)
    assert toot.refused("whoami") == "This command requires you to be logged in."
    for user in (alice, bob):
        assert "Successfully logged in" in toot.log_in(user)
    first, second = f"alice@{toot.domain}", f"bob@{toot.domain}"
    assert toot.json("whoami")["id"] == str(bob.pk)
    assert toot.json("--as", first, "whoami")["id"] == str(alice.pk)
    toot("activate", first)
    toot("logout", second)
    assert f"* {first} ACTIVE" in toot("auth")
    whoami = toot("whoami")
    assert "@alice Alice Adams" in whoami
    assert f"{site}/@alice/" in whoami
    assert toot.refused("login", "-i", site, stdin="n\nno such code\n") == "Login failed"
    AccessToken.objects.all().delete()
    # The server may use a token for another moment, because another process deleted it.
    time.sleep(access_tokens.CACHE_SECONDS)
    assert toot.refused("whoami") == "The access token is invalid"


def test_apps_cannot_log_in_with_a_password(site, alice, tmp_path):
    toot = Toot(home=tmp_path, site=site)
    arguments = ("-i", site, "-e", alice.email, "-p", PASSWORD)
    assert toot.refused("login_cli", *arguments) == "Login failed"


def test_the_instance_is_shown_and_the_profile_is_changed(site, alice, tmp_path):
    toot = Toot(home=tmp_path, site=site, user=alice)
    instance = toot("instance")
    assert toot.domain in instance
    assert "running Mastodon 4." in instance
    (tmp_path / "me.png").write_bytes(picture())
    toot(
        *("update-account", "--display-name", "Al", "--note", "Hello\nthere", "--locked"),
        *("--avatar", tmp_path / "me.png", "--no-bot"),
        *("--privacy", "public", "--no-sensitive", "--language", "de"),
    )
    assert (
        "/media/headers/" in toot.json("update-account", "--header", tmp_path / "me.png")["header"]
    )
    me = User.objects.get(pk=alice.pk)
    assert (me.display_name, me.bio, me.is_private) == ("Al", "Hello\nthere", True)
    changed = toot.json("update-account", "--no-locked")
    assert changed["locked"] is False
    assert changed["note"] == "<p>Hello<br>there</p>"
    assert "/media/avatars/" in changed["avatar"]
    name = toot.refused("update-account", "--display-name", "x" * 31)
    assert name.startswith("Validation failed: display_name: ")
