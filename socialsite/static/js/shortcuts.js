// Keyboard shortcuts. The page "Keyboard shortcuts" lists them (accounts/_shortcuts.html) and turns them off:
// then this script is not loaded.
"use strict";
(() => {
  const { list } = document.currentScript.dataset;
  const announcer = document.getElementById("announcer");
  const STOPS = "main .post, main .post-full, main .fold > details:not([open]) > summary";
  const PLACES = { h: "/", n: "/notifications/", e: "/explore/", b: "/bookmarks/" };
  const SEQUENCE_MS = 1500;

  const isVisible = (element) => element.checkVisibility?.() ?? element.getClientRects().length > 0;
  const visible = (selector) => [...document.querySelectorAll(selector)].find(isVisible);
  // Posts stick below this height, in pixels.
  const headerHeight = () => document.querySelector(".page-header")?.offsetHeight ?? 0;
  const isOnScreen = ({ top, bottom }) => bottom > headerHeight() && top < innerHeight;

  // The post with the focus, or the one that had it if it is still on the screen.
  let last;
  const current = () => {
    const focused = document.activeElement.closest(STOPS);
    if (focused) return focused;
    return last?.isConnected && isOnScreen(last.getBoundingClientRect()) ? last : null;
  };

  const focus = (stop) => {
    last = stop;
    if (stop.matches("article")) stop.tabIndex = -1;
    stop.focus({ preventScroll: true });
    const { top, bottom } = stop.getBoundingClientRect();
    const header = headerHeight();
    if (top < header || bottom > innerHeight) scrollBy(0, top - header - 1);
  };

  const move = (step) => {
    const stops = [...document.querySelectorAll(STOPS)].filter(isVisible);
    const at = stops.indexOf(current());
    if (at >= 0) {
      if (stops[at + step]) focus(stops[at + step]);
      else if (step > 0) document.querySelector(".older-posts")?.scrollIntoView({ block: "nearest" });
      return;
    }
    const onScreen = stops.filter((stop) => isOnScreen(stop.getBoundingClientRect()));
    const next = (step > 0 ? onScreen[0] : onScreen.at(-1)) ?? stops[0];
    if (next) focus(next);
  };

  // The response replaces the button, which does not have the focus. So the new state is announced.
  let pressed = null;
  const press = (action) => {
    const post = current();
    const find = () => post?.querySelector(`.action[formaction$="/${action}/"], .action[formaction$="/un${action}/"]`);
    const button = find();
    if (!button || button.matches(".htmx-request")) return;
    pressed = { button, find };
    button.click();
  };
  document.addEventListener("htmx:afterSettle", () => {
    if (!pressed || pressed.button.isConnected) return;
    const button = pressed.find();
    pressed = null;
    if (!button || !announcer) return;
    const isOn = button.getAttribute("aria-pressed") === "true";
    announcer.textContent = isOn ? button.querySelector("span").textContent : announcer.dataset.undone;
  });

  const open = () => {
    const post = current();
    const href = post?.dataset.href ?? post?.querySelector(".post-time")?.href;
    if (post?.matches("summary")) post.click();
    else if (href) location.assign(href);
  };

  const write = () => {
    const area = visible("main [data-composer] textarea");
    if (area) {
      area.focus();
      area.scrollIntoView({ block: "center" });
    } else document.querySelector('.nav-compose a[href="/posts/"]')?.click();
  };

  const search = () => {
    const field = visible("input[type=search]");
    if (field) { field.focus(); field.select(); } else location.assign("/search/");
  };

  const newest = () => {
    const link = [...document.querySelectorAll(".newer-posts a")].filter(isVisible).at(-1);
    if (link) { link.click(); return; }
    scrollTo(0, 0);
    last = null;
    document.activeElement.blur();
    move(1);
  };

  const go = (key) => {
    const place = key === "p" ? ".nav-profile a" : PLACES[key] && `.site-header a[href="${PLACES[key]}"]`;
    if (place) document.querySelector(place)?.click();
  };

  // The list is loaded when it is opened for the first time.
  let dialog = null;
  const showList = async () => {
    if (!dialog) {
      dialog = document.createElement("dialog");
      dialog.setAttribute("aria-labelledby", "shortcuts-title");
      document.body.append(dialog);
    }
    if (!dialog.hasChildNodes()) {
      const response = await fetch(list, { headers: { "HX-Request": "true" } }).catch(() => null);
      if (!response?.ok) { location.assign(list); return; }
      dialog.innerHTML = await response.text();
    }
    if (!dialog.open) dialog.showModal();
  };

  const KEYS = {
    j: () => move(1),
    k: () => move(-1),
    o: open,
    l: () => press("like"),
    s: () => press("share"),
    b: () => press("bookmark"),
    c: write,
    "/": search,
    ".": newest,
    "?": showList,
  };

  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable], dialog");

  let sequenceStart = -Infinity;
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(target) || document.querySelector("dialog[open]")) return;
    if (event.shiftKey && key !== "?" && key !== "/") return;
    if (event.repeat && key !== "j" && key !== "k") return;
    const isSecond = event.timeStamp - sequenceStart < SEQUENCE_MS;
    sequenceStart = -Infinity;
    if (isSecond) { go(key); return; }
    if (key === "g") { sequenceStart = event.timeStamp; return; }
    if (key === "Enter" && target.matches("article")) open();
    if (!Object.hasOwn(KEYS, key)) return;
    event.preventDefault();
    KEYS[key]();
  });

  document.addEventListener("click", (event) => {
    if (!event.target.closest("a[data-shortcuts]") || event.ctrlKey || event.metaKey || event.button !== 0) return;
    event.preventDefault();
    showList();
  });
})();
