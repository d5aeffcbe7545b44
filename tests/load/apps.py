"""Apps: registration, consent, token, then the API and a stream."""

import random
import re
from urllib.parse import urlencode

from locust import task

from tests.load.client import any_picture, multipart, new_text, record
from tests.load.live_stream import LiveStream
from tests.load.people import Member

REDIRECT = "urn:ietf:wg:oauth:2.0:oob"
SCOPES = "read write"
_CODE = re.compile(r'<code[^>]* id="code">([^<]+)<')
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?')
_NEXT = re.compile(r'<https?://[^/>]+(/[^>]+)>; rel="next"')


class AppUser(Member):
    """A user of an app. The user logs in with a browser once, to authorize it."""

    weight = 2

    def _log_in(self) -> None:
        super()._log_in()
        self.stream.close()
        self.token, self.statuses, self.next_path = self._authorize(), [], ""
        self.stream = LiveStream(page="app: stream", headers=lambda: [self._authorization])
        self.stream.open(f"{self.stream_origin}/api/v1/streaming/user")
        self.read_home_timeline()

    @property
    def _authorization(self) -> str:
        return f"Authorization: Bearer {self.token}"

    def _authorize(self) -> str:
        """Return an access token."""
        fields = {"client_name": "Load test", "redirect_uris": REDIRECT, "scopes": SCOPES}
        client = self._ask("POST", "/api/v1/apps", page="app: register", data=fields).json()
        query = {
            "response_type": "code",
            "client_id": client["client_id"],
            "redirect_uri": REDIRECT,
            "scope": SCOPES,
        }
        path = f"/oauth/authorize?{urlencode(query)}"
        consent = dict(_HIDDEN.findall(self._ask("GET", path, page="app: consent").text))
        done = self._ask(
            "POST",
            "/oauth/authorize",
            page="app: allow",
            data=consent | {"allow": "yes"},
            headers={"Origin": self.host},
        )
        fields = {
            "grant_type": "authorization_code",
            "code": _CODE.search(done.text)[1],
            "client_id": client["client_id"],
            "client_secret": client["client_secret"],
            "redirect_uri": REDIRECT,
        }
        token = self._ask("POST", "/oauth/token", page="app: token", data=fields)
        return token.json()["access_token"]

    def _ask(self, method: str, path: str, **options):
        response = self.fetch_until_answered(method, path, expected=(200, 302), **options)
        if response.status_code == 302:
            return self._ask("GET", response.headers["Location"], page=options["page"])
        return response

    def call(self, method: str, path: str, *, page: str, **options):
        """Call the API. Return the response, or None after an error."""
        options["headers"] = options.get("headers", {}) | {"Authorization": f"Bearer {self.token}"}
        return self.fetch(method, f"/api{path}", page=f"app: {page}", **options)

    def read_timeline(self, path: str) -> None:
        if response := self.call("GET", path, page="home"):
            self.statuses = response.json()
            link = _NEXT.search(response.headers.get("Link", ""))
            self.next_path = link[1].removeprefix("/api") if link else ""

    @task(8)
    def read_home_timeline(self) -> None:
        self.read_timeline("/v1/timelines/home?limit=20")

    @task(8)
    def read_next_page(self) -> None:
        self.read_timeline(self.next_path or "/v1/timelines/home?limit=20")

    @task(4)
    def read_status(self) -> None:
        if self.statuses:
            status = random.choice(self.statuses)["id"]
            self.call("GET", f"/v1/statuses/{status}", page="status")
            self.call("GET", f"/v1/statuses/{status}/context", page="context")

    @task(3)
    def favourite(self) -> None:
        if self.statuses:
            # A share has an id of its own.
            status = random.choice(self.statuses)
            post = (status["reblog"] or status)["id"]
            if self.call("POST", f"/v1/statuses/{post}/favourite", page="favourite"):
                record.add_write(kind="like", post=int(post), username=self.username)

    @task(3)
    def read_api_notifications(self) -> None:
        self.call("GET", "/v1/notifications?limit=20", page="notifications")

    @task(2)
    def read_account(self) -> None:
        if self.statuses:
            account = random.choice(self.statuses)["account"]["id"]
            self.call("GET", f"/v1/accounts/{account}", page="account")
            self.call("GET", f"/v1/accounts/{account}/statuses", page="account's statuses")

    @task(1)
    def post_status(self) -> None:
        fields = {"status": new_text()}
        if random.random() < 0.34:
            parts = multipart({"file": any_picture(), "description": "Noise in many colors"})
            if not (media := self.call("POST", "/v2/media", page="media", **parts)):
                return
            fields["media_ids[]"] = media.json()["id"]
        if response := self.call("POST", "/v1/statuses", page="post", data=fields):
            record.add_write(kind="status", id=int(response.json()["id"]))
