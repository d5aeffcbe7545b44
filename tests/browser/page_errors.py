"""Collect browser errors that no assertion checks."""

import re

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, Response, WebError

STREAM = re.compile(r"http://127\.0\.0\.1:[0-9]+/notifications/live/")
LOCAL_SCHEMES = ("data:", "blob:")


def watch(context: BrowserContext, *, site: str, complaints: list[str]) -> None:
    """Add the errors of a browser context to ``complaints``.

    The errors are script errors, console warnings (such as violations of the content security policy),
    requests to other sites, server errors, and failed requests for resources such as pictures.
    """

    def on_console(message: ConsoleMessage) -> None:
        # Ignore failed loads: tests check the status of pages, and ``on_response`` checks other resources.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            complaints.append(f"console: {message.text}")

    def on_error(error: WebError) -> None:
        complaints.append(f"script: {error.error}")

    def on_request(request: Request) -> None:
        is_local = request.url.startswith((f"{site}/", *LOCAL_SCHEMES))
        if not is_local and not STREAM.match(request.url):
            complaints.append(f"request to another site: {request.url}")

    def on_response(response: Response) -> None:
        # The service worker requests pages for the browser.
        request = response.request
        is_page = request.is_navigation_request() or request.service_worker is not None
        if response.status >= 500 or (response.status >= 400 and not is_page):
            complaints.append(f"{response.status}: {response.url}")

    context.on("console", on_console)
    context.on("weberror", on_error)
    context.on("request", on_request)
    context.on("response", on_response)
