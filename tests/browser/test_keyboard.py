"""Keyboard use: every control is reachable, and the focus is always visible."""

from playwright.sync_api import Page, expect

from accounts.models import User
from tests.factories import follow, publish

FOCUS = """() => {
    const { activeElement: at } = document;
    const marked = (element) => {
        const style = getComputedStyle(element);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    };
    const box = at.getBoundingClientRect();
    const foot = at.closest(".composer-body")?.querySelector(".composer-foot");
    const line = at.matches("textarea") && foot && getComputedStyle(foot).boxShadow !== "none";
    return {
        name: (at.ariaLabel || at.innerText || at.getAttribute("placeholder") || "").trim().split("\\n")[0],
        marked: marked(at) || Boolean(line),
        inView: box.top >= 0 && box.bottom <= innerHeight && box.width > 0,
    };
}"""


MENU_ENDS = (("link", "Your profile"), ("button", "Log out"))
"""The first and the last item of the account menu, as role and name."""


def test_the_first_tab_skips_to_the_content(either_page: Page, alice: User, log_in) -> None:
    page = either_page
    log_in(page, alice)
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("main").get_by_role("link", name="Following")).to_be_focused()


def test_tab_moves_through_home_in_reading_order_with_visible_focus(
    page: Page, alice: User, bob: User, log_in
) -> None:
    follow(alice, bob)
    publish(bob, "Look at https://example.org/")
    log_in(page, alice)
    page.goto("/")
    focused_names = []
    for _ in range(26):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        assert focus["marked"], f"focus is invisible on {focus}"
        assert focus["inView"], f"focus is out of view on {focus}"
        focused_names.append(focus["name"])
    navigation = [
        "Home",
        "Explore",
        "Notifications",
        "Messages",
        "Bookmarks",
        "Profile",
        "Settings",
        "Write",
    ]
    timelines = ["Following", "Oldest first", "Quiet posters"]
    composer = ["What is on your mind?", "Pictures, video", "Content warning"]
    choices = ["Options", "Public"]
    buttons = ["Publish", "Save or schedule"]
    assert focused_names[:3] == ["Skip to content", "Socialsite", "Alice Adams"]
    assert focused_names[3:21] == navigation + timelines + composer + choices + buttons
    assert focused_names[21].startswith("Bob Brown")
    assert focused_names[22:] == ["now", "More options for this post", "example.org/", "Like"]


def test_control_enter_publishes(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/")
    page.get_by_label("Your post").press_sequentially("By keyboard")
    page.keyboard.press("Enter")
    page.keyboard.type("alone")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".post")).to_have_count(1)
    expect(page.locator(".post-text")).to_have_text("By keyboardalone", use_inner_text=False)


def test_escape_closes_a_menu_and_returns_the_focus(page: Page, alice: User, log_in) -> None:
    log_in(page, alice)
    page.goto("/")
    summary = page.locator(".account summary")
    summary.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Your profile")).to_be_focused()
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()
    expect(page.get_by_role("link", name="Your profile")).to_be_hidden()


def test_arrow_keys_move_within_a_menu(page: Page, alice: User, log_in) -> None:
    publish(alice, "Hello")
    log_in(page, alice)
    page.goto("/@alice/")
    summary = page.locator(".account summary")
    summary.focus()
    first, last = (page.get_by_role(role, name=name) for role, name in MENU_ENDS)
    for key, option in (
        ("ArrowDown", first),
        ("ArrowUp", last),
        ("ArrowDown", first),
        ("End", last),
        ("Home", first),
    ):
        page.keyboard.press(key)
        expect(option).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".account .menu-body a").nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()
    expect(first).to_be_hidden()
    # The menu of a post is loaded when it is opened.
    page.locator("a.post-menu").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("details.post-menu > summary")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name="Open post")).to_be_focused()


def test_arrow_keys_in_a_field_of_a_menu_belong_to_the_field(
    page: Page, alice: User, log_in
) -> None:
    log_in(page, alice)
    page.goto("/posts/")
    page.locator("summary", has_text="Save or schedule").click()
    field = page.get_by_label("Publish at")
    field.fill("2026-12-24T18:00")
    field.focus()
    page.keyboard.press("ArrowDown")
    expect(field).to_be_focused()


def test_following_keeps_the_focus_on_the_button(
    page: Page, alice: User, bob: User, log_in
) -> None:
    log_in(page, alice)
    page.goto("/explore/people/")
    page.get_by_role("button", name="Follow Bob Brown").focus()
    page.keyboard.press("Enter")
    following = page.get_by_role("button", name="unfollow Bob Brown")
    expect(following).to_be_visible()
    expect(following).to_be_focused()
