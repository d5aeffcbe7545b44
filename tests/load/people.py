"""People with browsers: users who log in, and visitors."""

import random
import re
import time
from urllib.parse import quote, urlencode, urlsplit

from locust import task

from tests.load.client import (
    PASSWORD,
    WORDS,
    LoadUser,
    any_picture,
    multipart,
    new_text,
    record,
)
from tests.load.live_stream import LiveStream
from tests.load.page import Page

FILES_PER_PAGE = 6
"""Pictures that are in view when a page opens. The others load lazily."""

POSTS_IN_VIEW = 5

VIEWS_SECONDS, MAX_VIEWS = 10.0, 40
"""How long ``site.js`` collects views, and how many. It also sends them when the page is left."""

MAX_AGE = re.compile(r"max-age=(\d+)")


class Browser(LoadUser):
    """A browser with cookies and a cache of files."""

    abstract = True

    def on_start(self) -> None:
        super().on_start()
        self.files: set[str] = set()
        self.sidebars: dict[str, float] = {}
        self.views: dict[str, list[int]] = {}
        self.views_due_at = 0.0
        self.page = Page("/", "")
        self.frame = ""  # the page before its posts, with its token for forms

    def open(self, path: str, *, page: str) -> bool:
        """Open a page with its files and its sidebar. Return whether it worked."""
        self._send_views()
        response = self.fetch("GET", path, page=page)
        if response is None:
            return False
        self.page = Page(path, response.text)
        self.frame = response.text.partition("<ol")[0]
        self._load_files()
        self._load_sidebar()
        self.count_views(self.page)
        return True

    def fetch(self, method: str, path: str, *, page: str, **options):
        if method == "POST" and page != "views":
            self.sidebars.clear()  # after a change, site.js asks for another URL
        return super().fetch(method, path, page=page, **options)

    @property
    def htmx_headers(self) -> dict[str, str]:
        return {
            "HX-Request": "true",
            "HX-Current-URL": f"{self.host}{self.page.path}",
            "X-CSRFToken": self.page.csrf_token,
            "Origin": self.host,
        }

    def send(self, path: str, fields, *, page: str, expected=(302,)):
        """Send a form with files, as the composer is. Repeat it after an error."""
        options = multipart({"csrfmiddlewaretoken": self.page.csrf_token, **fields})
        options["headers"] |= {"Origin": self.host, "Referer": f"{self.host}{self.page.path}"}
        return self.fetch_until_answered("POST", path, page=page, expected=expected, **options)

    def count_views(self, page: Page) -> None:
        """Collect the views of the first posts of a page, or of its next part."""
        if posts := dict.fromkeys(post for _, post in page.posts[:POSTS_IN_VIEW]):
            if not self.views:
                self.views_due_at = time.monotonic() + VIEWS_SECONDS
            self.views.setdefault(page.shown_token, []).extend(posts)
            if sum(map(len, self.views.values())) > MAX_VIEWS - POSTS_IN_VIEW:
                self._send_views()

    def _send_views(self) -> None:
        views, self.views = self.views, {}
        posts_without_token = views.pop("", [])
        posts_with_token = [post for posts in views.values() for post in posts]
        for tokens, posts in ((list(views), posts_with_token), ([], posts_without_token)):
            if not posts:
                continue
            fields = {"posts": ",".join(map(str, dict.fromkeys(posts))), "page": tokens}
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            if tokens:  # then site.js omits the cookies
                headers["Cookie"] = ""
            options = {"data": urlencode(fields, doseq=True), "headers": headers}
            self.fetch("POST", "/views/", page="views", expected=(204,), **options)

    def _load_sidebar(self) -> None:
        path = self.page.sidebar_path
        if not path or time.monotonic() < self.sidebars.get(path, 0.0):
            return
        response = self.fetch("GET", path, page="sidebar", headers=self.htmx_headers)
        if response is not None and (age := MAX_AGE.search(response.headers["Cache-Control"])):
            self.sidebars[path] = time.monotonic() + int(age[1])

    def _load_files(self) -> None:
        pictures = self.page.picture_paths[:FILES_PER_PAGE]
        for kind, paths in (("static file", self.page.static_paths), ("picture", pictures)):
            for path in paths:
                if path not in self.files:
                    self.files.add(path)
                    self.fetch("GET", path, page=kind, expected=(200, 302))

    def scroll(self, *, page: str, times: int) -> None:
        """Load further pages by the real links, as htmx does."""
        for _ in range(times):
            if not (path := self.page.older_path):
                return
            response = self.fetch("GET", path, page=page, headers=self.htmx_headers)
            if response is None:
                return
            self.page = Page(path, self.frame + response.text)
            if time.monotonic() >= self.views_due_at:
                self._send_views()
            self.count_views(Page(path, response.text))


class Member(Browser):
    """A user with a session and an open stream."""

    abstract = True
    stream_origin = ""

    def on_start(self) -> None:
        super().on_start()
        self.stream = LiveStream(page="live stream", headers=self._stream_headers)
        self._log_in()

    def on_stop(self) -> None:
        self.stream.close()

    def open(self, path: str, *, page: str) -> bool:
        is_open = super().open(path, page=page)
        if is_open:
            top = self.page.newest_seen_id
            url = f"{self.stream_origin}/notifications/live/"
            self.stream.open(f"{url}?top={top}" if top else url)
        return is_open

    def _log_in(self) -> None:
        path = "/accounts/login/"
        self.page = Page(path, self.fetch_until_answered("GET", path, page="log in").text)
        fields = {
            "csrfmiddlewaretoken": self.page.csrf_token,
            "login": self.username,
            "password": PASSWORD,
            "remember": "on",
        }
        self.fetch_until_answered(
            "POST",
            path,
            page="log in: send password",
            data=fields,
            headers={"Origin": self.host},
            expected=(302,),
        )
        self.open("/", page="home")

    def _stream_headers(self) -> list[str]:
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.client.cookiejar)
        return [f"Cookie: {cookies}", f"Origin: {self.host}"]


class Person(Member):
    """A user who reads and writes in a browser."""

    weight = 7

    @task(20)
    def read_home(self) -> None:
        self.open("/", page="home")

    @task(25)
    def scroll_home(self) -> None:
        if self.page.path.partition("?")[0] != "/" or not self.page.older_path:
            self.read_home()
        self.scroll(page="home: scroll", times=random.randint(1, 3))

    @task(12)
    def read_post(self) -> None:
        if not self.page.posts:
            self.read_home()
        if self.page.posts:
            self.open(random.choice(self.page.posts)[0], page="post")

    @task(12)
    def like(self) -> None:
        if not self.page.like_buttons:
            self.read_home()
        if not (buttons := self.page.like_buttons):
            return
        path, post = random.choice(buttons)
        if self.fetch("POST", path, page="like", headers=self.htmx_headers):
            record.add_write(kind="like", post=post, username=self.username)
            self.page.text = self.page.text.replace(path, path.replace("like", "unlike"))

    @task(5)
    def comment(self) -> None:
        self.read_post()
        path, key = self.page.comment_form
        if not path:
            return
        if self.page.reply_form_paths and random.random() < 0.4:
            self._reply(path)
            return
        fields = {
            "csrfmiddlewaretoken": self.page.csrf_token,
            "idempotency_key": key,
            "text": new_text(),
        }
        options = {"data": fields, "headers": {"Origin": self.host}, "expected": (302,)}
        response = self.fetch_until_answered("POST", path, page="comment", **options)
        if response is not None:
            location = response.headers["Location"]
            record.add_write(kind="comment", post=_number(path, 1), id=_number(location, 3))
            self._follow(location)

    def _reply(self, path: str) -> None:
        """Reply in place, by the form that htmx loads below a comment."""
        form_path = random.choice(self.page.reply_form_paths)
        response = self.fetch("GET", form_path, page="reply form", headers=self.htmx_headers)
        if response is None:
            return
        form = Page(form_path, response.text)
        text = new_text()
        fields = {
            "csrfmiddlewaretoken": form.csrf_token,
            "idempotency_key": form.comment_form[1],
            "parent": form.parent_id,
            "text": text,
        }
        headers = self.htmx_headers
        if self.fetch_until_answered("POST", path, page="reply", data=fields, headers=headers):
            record.add_write(kind="reply", post=_number(path, 1), text=text)

    def _follow(self, location: str) -> None:
        """Follow a redirect within the site, and the one that the page of a comment answers."""
        response = self.fetch("GET", location, page="comment: link", expected=(302,))
        if response is not None:
            path = urlsplit(response.headers["Location"])
            self.open(f"{path.path}?{path.query}".rstrip("?"), page="post")

    @task(3)
    def publish(self) -> None:
        """Publish a post, every third with a picture."""
        self.read_home()
        if not (key := self.page.post_key):
            return
        text, fields = new_text(), {"idempotency_key": key}
        has_picture = random.random() < 0.34
        if has_picture and not self._upload(fields):
            return
        fields |= {"text": text, "visibility": "public"}
        page = "publish with picture" if has_picture else "publish"
        if self.send("/posts/", fields, page=page) is not None:
            record.add_write(kind="post", text=text)
            self.read_home()

    def _upload(self, fields: dict[str, str]) -> bool:
        response = self.send(
            "/posts/pictures/", {"pictures": any_picture()}, page="upload", expected=(200,)
        )
        if response is None:
            return False
        media = Page("", response.text).media_id
        fields |= {"media": media, f"alt_{media}": "Noise in many colors"}
        return True

    @task(7)
    def read_notifications(self) -> None:
        self.open("/notifications/", page="notifications")

    @task(4)
    def search(self) -> None:
        kind = random.choice(("", "&type=posts", "&type=people"))
        self.open(f"/search/?q={quote(random.choice(WORDS))}{kind}", page="search")

    @task(6)
    def read_profile(self) -> None:
        if not self.page.profile_paths:
            self.read_home()
        if self.page.profile_paths:
            self.open(random.choice(self.page.profile_paths), page="profile")
            self.scroll(page="profile: scroll", times=random.randint(0, 1))

    @task(4)
    def explore(self) -> None:
        self.open("/explore/", page="explore")

    @task(2)
    def read_messages(self) -> None:
        self.open("/messages/", page="messages")


class Visitor(Browser):
    """Somebody without an account who follows a link to the site."""

    weight = 1

    @task(3)
    def explore(self) -> None:
        self.open("/explore/", page="visitor: explore")

    @task(5)
    def read_post(self) -> None:
        if not self.page.posts:
            self.explore()
        if self.page.posts:
            self.open(random.choice(self.page.posts)[0], page="visitor: post")

    @task(3)
    def read_profile(self) -> None:
        if not self.page.profile_paths:
            self.explore()
        if self.page.profile_paths:
            self.open(random.choice(self.page.profile_paths), page="visitor: profile")


def _number(path: str, position: int) -> int:
    """Return the number at a position of a path such as /posts/1/comments/2/."""
    return int(urlsplit(path).path.strip("/").split("/")[position])
