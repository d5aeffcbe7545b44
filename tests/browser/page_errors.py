"""What a browser notices that no assertion asks for."""

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, Response, WebError

OWN = ("data:", "blob:")


def watch(context: BrowserContext, *, site: str, complaints: list[str]) -> None:
    """Collect errors of scripts, what the console warns of (as of a breach of the content security
    policy), requests that leave the site, and parts of pages that cannot be had."""

    def on_console(message: ConsoleMessage) -> None:
        # A page that answers 404 or 422 is the test's business, its parts are on_response's.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            complaints.append(f"console: {message.text}")

    def on_error(error: WebError) -> None:
        complaints.append(f"script: {error.error}")

    def on_request(request: Request) -> None:
        if not request.url.startswith((f"{site}/", *OWN)):
            complaints.append(f"request to somebody else: {request.url}")

    def on_response(response: Response) -> None:
        if response.status >= 500 or (
            response.status >= 400 and not response.request.is_navigation_request()
        ):
            complaints.append(f"{response.status}: {response.url}")

    context.on("console", on_console)
    context.on("weberror", on_error)
    context.on("request", on_request)
    context.on("response", on_response)
