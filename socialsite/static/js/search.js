// Recent searches, stored in this browser only. The search page works without them.
"use strict";
(() => {
  const MAX = 8;
  const page = document.querySelector("[data-searched]");
  const box = document.querySelector("[data-recent]");
  const key = `searches:${(page?.dataset.viewer ?? box?.dataset.recent) || "visitor"}`;

  const read = () => {
    try {
      const texts = JSON.parse(localStorage.getItem(key));
      return Array.isArray(texts) ? texts.filter((text) => typeof text === "string").slice(0, MAX) : [];
    } catch { return []; }
  };
  const write = (texts) => {
    try {
      if (texts.length) localStorage.setItem(key, JSON.stringify(texts.slice(0, MAX)));
      else localStorage.removeItem(key);
    } catch { /* storage is full or forbidden: no recent searches */ }
  };

  if (page) {
    const { searched } = page.dataset;
    write([searched, ...read().filter((text) => text !== searched)]);
  }
  if (!box) return;

  const show = () => {
    const texts = read();
    box.hidden = !texts.length;
    box.querySelector("ul").replaceChildren(...texts.map((text) => {
      const row = box.querySelector("template").content.cloneNode(true);
      const link = row.querySelector("a");
      const remove = row.querySelector("button");
      link.firstElementChild.textContent = text;
      link.href = `?${new URLSearchParams({ q: text })}`;
      remove.setAttribute("aria-label", remove.dataset.label.replace("%s", text));
      remove.dataset.text = text;
      return row;
    }));
  };
  box.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    write(button.matches("[data-clear]") ? [] : read().filter((text) => text !== button.dataset.text));
    show();
    // The button is gone. The focus moves to the heading or, if the list is empty, to the search field.
    (box.hidden ? document.querySelector(".main [type=search]") : box.querySelector("h2")).focus();
  });
  addEventListener("pageshow", show);
})();
