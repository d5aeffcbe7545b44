// Complete "@" and "#" in text areas. The text area keeps the focus and points to the active option of a list
// box below it. The options come from the server.
"use strict";
(() => {
  const { url, label, count, none } = document.currentScript.dataset;
  // The sign must not follow a letter, as in addresses, and at least one character must follow it.
  const TOKEN = /(?:^|[^\p{L}\p{N}_&/@#.])([@#][\p{L}\p{M}\p{N}_.\u00b7]{1,40})$/u;
  const STATES = { "aria-haspopup": "listbox", "aria-autocomplete": "list", "aria-controls": "completions" };
  const announcer = document.getElementById("announcer");
  const cache = new Map();
  const list = document.createElement("ul");
  list.id = "completions";
  list.className = "menu-body completions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", label);
  let area = null;
  let active = -1;
  let token = "";
  let dismissed = "";
  let timer;
  let request;

  const announce = (text) => { if (announcer) announcer.textContent = text; };

  const close = () => {
    clearTimeout(timer);
    request?.abort();
    if (!area) return;
    for (const name of [...Object.keys(STATES), "aria-activedescendant"]) area.removeAttribute(name);
    list.remove();
    area = null;
  };

  const tokenIn = (field) => {
    const { selectionStart: end, selectionEnd, value } = field;
    const found = end === selectionEnd && TOKEN.exec(value.slice(Math.max(0, end - 60), end))?.[1];
    return found && !found.endsWith(".") ? found : "";
  };

  const activate = (number) => {
    const options = list.children;
    options[active]?.setAttribute("aria-selected", "false");
    active = (number + options.length) % options.length;
    const option = options[active];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", option.id);
    return option.textContent.trim();
  };

  const place = () => {
    const [field, parent] = [area, list.offsetParent ?? document.body].map((box) => box.getBoundingClientRect());
    const room = (window.visualViewport?.height ?? innerHeight) - field.bottom;
    const isAbove = room < list.offsetHeight && field.top > list.offsetHeight;
    list.style.top = `${(isAbove ? field.top - list.offsetHeight : field.bottom) - parent.top}px`;
    const width = Math.min(field.width, 352);
    list.style.left = `${(document.dir === "rtl" ? field.right - width : field.left) - parent.left}px`;
    list.style.width = `${width}px`;
  };

  const open = (field, html) => {
    const wasOpen = area === field;
    if (area && !wasOpen) close();
    list.innerHTML = html;
    if (!list.children.length) {
      if (wasOpen) announce(none);
      close();
      return;
    }
    area = field;
    active = -1;
    for (const [name, value] of Object.entries(STATES)) area.setAttribute(name, value);
    area.removeAttribute("aria-activedescendant");
    area.after(list);
    place();
    // A new hashtag is as good as an existing one, so Enter inserts none before a choice. Tab inserts the first one.
    const first = token.startsWith("@") ? activate(0) : "";
    announce(`${count.replace("%s", String(list.children.length))} ${first}`);
  };

  const choose = (option) => {
    const field = area;
    const end = field.selectionStart;
    const gap = /^\s/.test(field.value.slice(end)) ? "" : " ";
    field.setRangeText(option.dataset.value + gap, end - token.length, end, "end");
    announce(option.dataset.value);
    close();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  };

  const load = async (field) => {
    request?.abort();
    request = new AbortController();
    const wanted = token;
    try {
      if (!cache.has(wanted)) {
        const response = await fetch(`${url}?q=${encodeURIComponent(wanted)}`, { signal: request.signal });
        if (!response.ok || response.redirected) return;
        cache.set(wanted, await response.text());
      }
    } catch { return; /* a newer request, or no connection: no suggestions */ }
    if (token === wanted && document.activeElement === field && tokenIn(field) === wanted) open(field, cache.get(wanted));
  };

  const update = (field) => {
    clearTimeout(timer);
    const now = tokenIn(field);
    if (!now || now === dismissed) { close(); return; }
    dismissed = "";
    token = now;
    timer = setTimeout(load, cache.has(now) ? 0 : 120, field);
  };

  document.addEventListener("input", ({ target, isComposing }) => {
    if (!isComposing && target.matches("textarea[data-limit]")) update(target);
  });
  document.addEventListener("compositionend", ({ target }) => {
    if (target.matches("textarea[data-limit]")) update(target);
  });
  document.addEventListener("keydown", (event) => {
    if (!area || event.target !== area || event.isComposing || event.keyCode === 229) return;
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (key === "ArrowDown") announce(activate(active + 1));
    else if (key === "ArrowUp") announce(activate(active < 0 ? -1 : active - 1));
    else if (key === "Tab" || (key === "Enter" && active >= 0)) choose(list.children[Math.max(active, 0)]);
    else if (key === "Escape") { dismissed = token; close(); } else {
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) close();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }, true);
  // The focus stays in the text area, so that touch keyboards stay open.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) choose(option);
  });
  document.addEventListener("focusout", ({ target }) => { if (target === area) close(); });
  document.addEventListener("click", ({ target }) => { if (target === area) update(area); });
  addEventListener("resize", () => { if (area) place(); });
})();
