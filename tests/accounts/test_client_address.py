"""The client address of a request cannot be forged with headers."""

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import RequestFactory

from accounts.infra.client_address import client_address, client_network


def address(proxies, settings, forwarded=None, remote="192.0.2.1"):
    settings.TRUSTED_PROXIES = proxies
    more = {} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded}
    result = client_address(RequestFactory().get("/", REMOTE_ADDR=remote, **more))
    return None if result is None else str(result)


@pytest.mark.parametrize(
    ("proxies", "forwarded", "result"),
    [
        (0, "8.8.8.8", "192.0.2.1"),
        (1, None, "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "9.9.9.9", "9.9.9.9"),
        (1, "8.8.8.8, 9.9.9.9", "9.9.9.9"),
        (1, "8.8.8.8,7.7.7.7 ,9.9.9.9 ", "9.9.9.9"),
        (2, "8.8.8.8, 9.9.9.9, 10.0.0.1", "9.9.9.9"),
        (2, "10.0.0.1", "192.0.2.1"),
        (3, "9.9.9.9, 10.0.0.1", "192.0.2.1"),
        (1, "8.8.8.8, garbage", "192.0.2.1"),
        (1, "8.8.8.8,", "192.0.2.1"),
        (1, "8.8.8.8, 9.9.9.9:4711", "9.9.9.9"),
        (1, "8.8.8.8, [2001:db8::1]:4711", "2001:db8::1"),
        (1, "8.8.8.8, [2001:DB8::1]", "2001:db8::1"),
        (1, "2001:db8:0:0::0001", "2001:db8::1"),
        (1, "::ffff:9.9.9.9", "9.9.9.9"),
        (1, "fe80::1%eth0", "fe80::1"),
        (1, "9.9.9.9:1:2", "192.0.2.1"),
        (1, "[", "192.0.2.1"),
        (1, "999.9.9.9", "192.0.2.1"),
        (1, "0x7f000001", "192.0.2.1"),
        (1, "\x00, 9.9.9.\u0669", "192.0.2.1"),
        (1, "1.1.1.1, " * 500 + "9.9.9.9", "9.9.9.9"),
    ],
)
def test_only_addresses_added_by_trusted_proxies_are_used(settings, proxies, forwarded, result):
    assert address(proxies, settings, forwarded) == result


@pytest.mark.parametrize(
    ("remote", "result"),
    [
        ("", None),
        ("garbage", None),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:DB8::7", "2001:db8::7"),
    ],
)
def test_without_a_proxy_the_peer_address_is_used(settings, remote, result):
    assert address(0, settings, remote=remote) == result


@pytest.mark.parametrize(
    ("remote", "network"),
    [("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("", "unknown")],
)
def test_addresses_of_an_ipv6_network_count_as_one_client(remote, network):
    assert client_network(RequestFactory().get("/", REMOTE_ADDR=remote)) == network


def test_the_log_contains_the_peer_address_and_not_the_header(client, caplog):
    client.get("/nothing/", headers={"X-Forwarded-For": "8.8.8.8"}, REMOTE_ADDR="192.0.2.1")
    results = [record.msg["ip"] for record in caplog.records if isinstance(record.msg, dict)]
    assert set(results) == {"192.0.2.1"}


def test_log_ins_without_an_address_are_rate_limited(client):
    statuses = {client.post("/accounts/login/", {}, REMOTE_ADDR="").status_code for _ in range(31)}
    assert statuses == {200, 429}


def test_a_negative_number_of_proxies_fails_the_system_check(settings):
    settings.TRUSTED_PROXIES = -1
    with pytest.raises(SystemCheckError, match="TRUSTED_PROXIES is -1"):
        call_command("check")
