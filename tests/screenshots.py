"""``make screenshots``: the pictures in ``README.md``, posts in alice's home on a phone and a desktop.

The command starts a temporary demo, opens the page in Chromium and writes ``docs/img``. Texts and pictures
of the demo derive from a seed, so two runs differ only if the site has changed.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from socialsite.local import demo_processes
from socialsite.local.demo_processes import COLLECT_STATIC, MIGRATE, start_command, wait_for_command
from socialsite.local.errors import LocalError
from socialsite.local.ports import free_port
from socialsite.local.processes import ROOT, ChildProcess, stop_children
from tests.with_mongodb import server_for_tests

FOLDER = ROOT / "docs" / "img"
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
PASSWORD = "socialsite-demo"
DEVICES: dict[str, dict[str, Any]] = {
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    },
    "desktop": {"viewport": {"width": 1280, "height": 900}, "device_scale_factor": 1.5},
}
PICTURES_ARE_LOADED = """() => [...document.images]
    .filter(picture => picture.getBoundingClientRect().top < innerHeight)
    .every(picture => picture.complete)"""
MAX_BYTES = 120_000
COLOR_COUNTS = (256, 128, 64, 32)
"""Fewer colors make a smaller file. The first number whose file has at most ``MAX_BYTES`` is used."""


def main() -> int:
    """Write the screenshots. Returns the exit code."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.stderr.write(f"Error: no browser here. Install one of {', '.join(BROWSERS)}.\n")
        return 1
    children: list[ChildProcess] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            with server_for_tests() as uri:
                url = _start_demo(children, mongodb_uri=uri, data_dir=Path(folder))
                _write_screenshots(url, browser_path)
                stop_children(children)
        except LocalError as error:
            sys.stderr.write(f"Error: {error}\n")
            return 1
        finally:
            stop_children(children)
    return 0


def _start_demo(children: list[ChildProcess], *, mongodb_uri: str, data_dir: Path) -> str:
    """Start a demo. Append its processes to ``children`` and return its URL. Raises LocalError."""
    port, logs = free_port(), data_dir / "logs"
    env = demo_processes.demo_environment(mongodb_uri=mongodb_uri, port=port, data_dir=data_dir)
    env |= {"MONGODB_NAME": "socialsite_screenshots", "LIVE_MAX_STREAMS": "0"}
    for command in (COLLECT_STATIC, MIGRATE, ("seed_demo",)):
        wait_for_command(children, start_command(children, *command, env=env, logs=logs))
    children.append(demo_processes.start_service("web", env=env, data_dir=data_dir))
    demo_processes.wait_until_ready(children, urls=[f"http://127.0.0.1:{port}/"])
    return f"http://127.0.0.1:{port}"


def _write_screenshots(url: str, browser_path: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=ARGUMENTS)
        for device, settings in DEVICES.items():
            content = _compress(_screenshot(browser, url, settings))
            path = FOLDER / f"{device}.png"
            path.write_bytes(content)
            sys.stdout.write(f"{path.relative_to(ROOT)}: {len(content):,} bytes\n")
        browser.close()


def _screenshot(browser: Browser, url: str, settings: dict[str, Any]) -> bytes:
    context = browser.new_context(
        locale="en-GB",
        timezone_id="UTC",
        color_scheme="light",
        reduced_motion="reduce",
        bypass_csp=True,  # for ``wait_for_function``
        **settings,
    )
    page = context.new_page()
    page.goto(f"{url}/accounts/login/")
    page.fill("input[name=login]", "alice")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(f"{url}/")
    if not settings.get("is_mobile"):
        # The page loads this column last.
        page.get_by_role("heading", name="Who to follow").wait_for()
    page.locator("[data-post]").first.evaluate("post => { post.scrollIntoView(); scrollBy(0, 10) }")
    page.wait_for_function(PICTURES_ARE_LOADED)
    return page.screenshot()


def _compress(content: bytes) -> bytes:
    """Return a PNG with a palette, of at most ``MAX_BYTES`` if that is possible."""
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    compressed = b""
    for colors in COLOR_COUNTS:
        out = io.BytesIO()
        few_colors = picture.quantize(colors, kmeans=2, dither=Image.Dither.NONE)
        few_colors.save(out, "PNG", optimize=True)
        compressed = out.getvalue()
        if len(compressed) <= MAX_BYTES:
            break
    return compressed


if __name__ == "__main__":
    sys.exit(main())
