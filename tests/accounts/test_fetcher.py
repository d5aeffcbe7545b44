"""Fetching pages of other sites, from servers that are slow, endless or want to reach inner networks."""

import gzip
import ssl
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import certifi
import dns.resolver
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from accounts.infra.web_pages import fetcher
from accounts.infra.web_pages.addresses import UnusableUrl, is_public_address, parse_web_url
from accounts.infra.web_pages.fetcher import FetchFailed
from tests.web_server import NameServer, other_site

HTML = ("text/html",)
LIMIT = 10_000


def fetch(url, **options):
    return fetcher.fetch(**{"url": url, "content_types": HTML, "max_bytes": LIMIT, **options})


@pytest.fixture
def site(settings):
    with other_site(settings) as site:
        yield site


@pytest.fixture
def names(monkeypatch):
    server = NameServer()
    monkeypatch.setattr(dns.resolver, "default_resolver", server.resolver)
    yield server
    server.stop()


def test_a_page_is_fetched_with_the_name_of_this_site_and_nothing_else(site, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    url = site.serve("/page?q=%C3%A4", "Hello", "text/html; charset=utf-8", Set_Cookie="a=1")
    for _ in range(2):
        page = fetch(site.url + "/page?q=ä#part")
    assert (page.url, page.content, page.charset, page.is_complete) == (
        url,
        b"Hello",
        "utf-8",
        True,
    )
    path, headers = site.requests[-1]
    assert path == "/page?q=%C3%A4"
    assert headers == {
        "Host": site.address,
        "User-Agent": "Socialsite (+http://testserver/about/)",
        "Accept": "text/html",
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://example.org/",
        "//example.org/",
        "example.org",
        "http://user@example.org/",
        "http://user:secret@example.org/",
        "http://example.org:22/",
        "http://example.org:8080/",
        "http://example.org:99999/",
        "http://localhost/",
        "http://mongo/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://0x7f.0.0.0x1/",
        "http://0177.0.0.1/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://example.org\\@127.0.0.1/",
        "http://exa\nmple.org/",
        "http://example.org/\x00",
        "http://-example.org/",
        "http://exam ple.org/",
        "http:///path",
        "http://" + "a" * 64 + ".org/",
        "http://example.org/" + "a" * 2000,
        "https://xn--.org/" + "\ud800",
    ],
)
def test_other_urls_are_never_fetched(url):
    with pytest.raises(UnusableUrl):
        parse_web_url(url)
    with pytest.raises(FetchFailed):
        fetch(url)


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        (" HTTPS://Example.ORG ", "https://example.org/"),
        ("http://example.org:80/a b?c=d e#f", "http://example.org/a%20b?c=d%20e"),
        ("https://example.org:80/", "https://example.org:80/"),
        ("https://example.org./x", "https://example.org/x"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://a_b.example.org/%2F", "https://a_b.example.org/%2F"),
        ("http://[2606:4700::1111]/", "http://[2606:4700::1111]/"),
    ],
)
def test_equal_pages_have_equal_urls(url, parsed):
    assert str(parse_web_url(url)) == parsed
    assert parse_web_url(parsed) == parse_web_url(url)


SPECIAL_ADDRESSES = """
0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1
203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
:: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1
2001:0:7f00:1:: 2001:db8::1 2002:7f00:1:: 2002:a00:1:: 3fff::1 5f00::1 fc00::1 fd00:ec2::254
fe80::1 fec0::1 ff02::1
"""


@pytest.mark.parametrize("address", SPECIAL_ADDRESSES.split())
def test_special_addresses_are_not_public(address):
    assert not is_public_address(ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111"])
def test_other_addresses_are_public(address):
    assert is_public_address(ip_address(address))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1", "[::]"]
)
def test_private_addresses_in_urls_are_refused(host):
    with pytest.raises(FetchFailed, match="HostNotFound"):
        fetch(f"http://{host}/latest/meta-data/")


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["::1"], ["93.184.216.34", "10.0.0.1"], ["2606:4700::1", "fd00::1"], []],
)
def test_names_of_private_addresses_are_refused(names, addresses):
    if addresses:
        names.answers["inner.example.org"] = [addresses]
    with pytest.raises(FetchFailed, match="HostNotFound"):
        fetch("http://inner.example.org/")


def test_a_name_is_resolved_once_so_that_a_second_answer_changes_nothing(site, names):
    names.answers["rebound.example.org"] = [["127.0.0.1"], ["127.0.0.2"]]
    url = f"http://rebound.example.org:{site.port}/"
    site.serve("/", "Hello")
    assert fetch(url).content == b"Hello"
    assert site.requests[0][1]["Host"] == f"rebound.example.org:{site.port}"
    assert names.queries == ["rebound.example.org"]
    # The next answer names an address that no test may fetch.
    with pytest.raises(FetchFailed, match="HostNotFound"):
        fetch(url)
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/secret",
        "http://localhost/secret",
        "http://[::1]/secret",
        "file:///etc/passwd",
        "//10.0.0.1/",
        "http://169.254.169.254/latest/",
        "http://user@example.org/",
        "http://[",
        "",
    ],
)
def test_redirects_are_checked_like_the_first_url(site, location):
    url = site.redirect("/", location)
    with pytest.raises(FetchFailed):
        fetch(url)
    assert site.paths == ["/"]


def test_redirects_are_followed_a_few_times(site):
    site.serve("/4", "Arrived")
    for number in range(4):
        site.redirect(f"/{number}", str(number + 1), status=(301, 302, 307, 308)[number])
    assert fetch(site.url + "/0").url == site.url + "/4"
    site.redirect("/loop", "/loop")
    with pytest.raises(FetchFailed, match="redirects"):
        fetch(site.url + "/loop")
    assert site.paths.count("/loop") == 5


def test_other_content_types_and_encodings_are_refused(site):
    for content_type in ("application/pdf", "image/svg+xml", "", "text"):
        with pytest.raises(FetchFailed, match="content type"):
            fetch(site.serve("/", "x", content_type))
    with pytest.raises(FetchFailed, match="encoding"):
        fetch(site.serve("/", "x", Content_Encoding="br"))
    with pytest.raises(FetchFailed, match="Error"):
        fetch(site.serve("/", "not compressed", Content_Encoding="gzip"))
    with pytest.raises(FetchFailed) as missing:
        fetch(site.url + "/missing")
    assert missing.value.status == 404


def test_a_compressed_page_is_limited_after_decompression(site):
    page = fetch(site.serve("/", gzip.compress(b"Hello " * 100), Content_Encoding="gzip"))
    assert page.content == b"Hello " * 100
    bomb = gzip.compress(bytes(100_000_000))
    page = fetch(site.serve("/bomb", bomb, Content_Encoding="gzip"))
    assert len(page.content) == LIMIT
    assert not page.is_complete


def test_an_endless_page_is_cut(site):
    def respond(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while not site.stopped.is_set():
            handler.wfile.write(b"x" * 1000)

    site.pages["/"] = respond
    page = fetch(site.url)
    assert page.content == b"x" * LIMIT
    assert not page.is_complete


def drip(site, start, part):
    """Serve a response that sends a part now and then and never ends."""

    def respond(handler):
        handler.wfile.write(start)
        while not site.stopped.wait(0.05):
            handler.wfile.write(part)

    site.pages["/"] = respond
    return site.url


@pytest.mark.parametrize(
    ("start", "part"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        (b"HTTP/1.1 200 OK\r\n", b"X-Slow: x\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n", b""),
    ],
)
def test_a_slow_response_ends_at_the_deadline(site, monkeypatch, start, part):
    monkeypatch.setattr(fetcher, "MAX_SECONDS", 0.4)
    started = time.monotonic()
    with pytest.raises(FetchFailed):
        fetch(drip(site, start, part))
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 200_000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Many: x\r\n" * 20_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000,
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: -5\r\n\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset*=a; charset*0=b\r\n\r\nx",
        b"",
    ],
)
def test_invalid_responses_fail(site, monkeypatch, head):
    def respond(handler):
        handler.wfile.write(head)
        handler.close_connection = True

    monkeypatch.setattr(fetcher, "MAX_SECONDS", 5.0)
    site.pages["/"] = respond
    with suppress(FetchFailed):
        assert len(fetch(site.url).content) <= 1


def test_a_server_that_does_not_exist_fails(site, settings):
    site.stop()
    with pytest.raises(FetchFailed, match="refused"):
        fetch(site.url)
    site.stop = lambda: None


def certificate(folder, *names):
    """Write a certificate for these names, which is its own authority. Return its file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(dns_name) for dns_name in names]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return str(file)


def test_certificates_are_checked_for_the_name_in_the_url(settings, names, tmp_path, monkeypatch):
    file = certificate(tmp_path, "good.example.org")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(file)
    asked_names = []
    tls.sni_callback = lambda _socket, name, _context: asked_names.append(name)
    names.answers = {"good.example.org": [["127.0.0.1"]], "evil.example.org": [["127.0.0.1"]]}
    with other_site(settings, tls) as site:
        site.serve("/", "Hello")
        good, evil = (f"https://{name}.example.org:{site.port}/" for name in ("good", "evil"))
        with pytest.raises(FetchFailed, match="CERTIFICATE_VERIFY_FAILED"):
            fetch(good)
        monkeypatch.setattr(certifi, "where", lambda: file)
        fetcher._tls_context.cache_clear()
        assert fetch(good, for_owner=True).content == b"Hello"
        with pytest.raises(FetchFailed, match="Hostname mismatch"):
            fetch(evil)
        site.redirect("/plain", f"http://good.example.org:{site.port}/")
        with pytest.raises(FetchFailed, match="not encrypted"):
            fetch(f"{good}plain", for_owner=True)
        site.redirect("/away", evil)
        with pytest.raises(FetchFailed, match="another host"):
            fetch(f"{good}away", for_owner=True)
    fetcher._tls_context.cache_clear()
    assert asked_names == ["good.example.org"] * 2 + ["evil.example.org"] + ["good.example.org"] * 2
