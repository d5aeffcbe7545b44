// Announce posts that were loaded below, and keep the focus.
import { announce } from "./announcer.js";
import { words } from "./texts.js";

let focusWasInside = false;
document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  focusWasInside = target.contains(document.activeElement);
});
document.addEventListener("htmx:afterSwap", ({ detail: { elt, requestConfig } }) => {
  if (!requestConfig?.elt?.closest(".older-posts")) return;
  announce(requestConfig.elt.dataset.loaded ?? words.loaded);
  // This event fires for each new element. The first one gets the focus.
  const next = focusWasInside && elt.querySelector?.("a:not([tabindex])");
  if (!next) return;
  focusWasInside = false;
  next.focus({ preventScroll: true });
});
