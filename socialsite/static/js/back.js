// Return to the same post of a timeline if the browser did not keep the page. The position is stored in the
// entry of the browser's history: the last pages that were loaded below the first one, and the first visible post.
"use strict";
(() => {
  const MAX_PAGES = 3;
  const SAVE_MS = 400;
  const STOPS = "[id^=post-], [id^=comment-]";
  const list = document.getElementById("posts");
  const older = list.querySelector(":scope > .older-posts[hx-get]");
  // The loaded pages: their addresses, and the last row above each. No row: the list starts with this page.
  let pages = [];
  let startsWithFirstPage = true;

  document.addEventListener("htmx:beforeSwap", ({ detail: { target, xhr } }) => {
    if (xhr.status !== 200 || !target.matches("#posts > .older-posts")) return;
    pages.push({ path: target.getAttribute("hx-get"), above: target.previousElementSibling });
  });

  const isBelow = (row, above) => !above || above.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING;
  const put = (position) => {
    // The lightbox has its own mark in the state.
    try { history.replaceState({ ...history.state, position }, ""); } catch { /* too many calls: keep the last position */ }
  };

  let timer;
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!pages.length) return;
    const row = [...list.children].find((one) => one.getBoundingClientRect().bottom > 0 && one.querySelector(STOPS));
    const number = row ? pages.findLastIndex(({ above }) => isBelow(row, above)) : -1;
    if (number < 0) { put(null); return; }
    const start = Math.max(0, number + 1 - MAX_PAGES);
    put({
      paths: pages.slice(start, number + 1).map(({ path }) => path),
      followsFirstPage: startsWithFirstPage && !start,
      id: row.querySelector(STOPS).id,
      top: row.getBoundingClientRect().top,
    });
  };
  addEventListener("scroll", () => { timer ??= setTimeout(save, SAVE_MS); }, { passive: true });
  document.addEventListener("click", save, true);

  const load = async (path) => {
    const response = await fetch(path);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!response.ok || response.redirected || !page.querySelector("#posts > li")) throw new Error("no posts");
    return page;
  };

  // If the post was deleted, the next older one.
  const number = ({ id }) => BigInt(id.split("-").pop());
  const find = (id) => list.querySelector(`#${CSS.escape(id)}`)
    ?? [...list.querySelectorAll(STOPS)].find((stop) => number(stop) <= number({ id }));

  const restore = async ({ paths, followsFirstPage, id, top }) => {
    // Without new posts, the loaded pages follow the first page. Otherwise they replace it, so that no post is missing.
    const isWhole = followsFirstPage && older.getAttribute("hx-get") === paths[0];
    const replaced = isWhole ? [older] : [...list.children];
    const above = isWhole ? older.previousElementSibling : null;
    history.scrollRestoration = "manual";
    list.setAttribute("aria-busy", "true");
    for (const row of replaced) row.remove();
    try {
      const loaded = await Promise.all(paths.map(load));
      const restored = [];
      for (const [index, page] of loaded.entries()) {
        if (index) list.querySelector(":scope > .older-posts")?.remove();
        restored.push({ path: paths[index], above: index ? list.lastElementChild : above });
        list.append(...page.querySelectorAll("#posts > :is(li, template)"));
      }
      const newer = loaded[0].querySelector("p.newer-posts:not([data-new-posts])");
      if (!isWhole && newer) list.before(newer);
      pages = restored;
      startsWithFirstPage = isWhole;
    } catch { list.append(...replaced); }
    list.removeAttribute("aria-busy");
    window.htmx?.process(list);
    const post = find(id);
    const row = [...list.children].find((one) => one.contains(post));
    if (row) scrollBy({ top: row.getBoundingClientRect().top - top, behavior: "instant" });
    history.scrollRestoration = "auto";
  };

  const position = history.state?.position;
  const { type } = performance.getEntriesByType("navigation")[0] ?? {};
  if (!position) return;
  if (older && (type === "back_forward" || document.wasDiscarded)) restore(position);
  else put(null);
})();
