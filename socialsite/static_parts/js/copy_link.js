// Copy a link, or show it if the browser forbids that.
import { show } from "./notices.js";
import { words } from "./texts.js";

document.addEventListener("click", ({ target }) => {
  const copy = target.closest("[data-copy]");
  if (!copy) return;
  const address = new URL(copy.dataset.copy, location.href).href;
  Promise.resolve(navigator.clipboard?.writeText(address) ?? Promise.reject(new Error("no clipboard")))
    .then(() => show(words.copied), () => show(address));
  copy.closest("details")?.removeAttribute("open");
});
