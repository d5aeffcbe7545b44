// htmx takes a part of the page in the response (hx-select). Without that part, the session ended or the page changed.
import { updateProfile } from "./profile.js";
import { removePlacedReplies } from "./replies.js";

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr, requestConfig } = event.detail;
  const wanted = requestConfig?.elt?.closest("[hx-select]")?.getAttribute("hx-select");
  if (!wanted || xhr.status >= 400) return;
  const fresh = new DOMParser().parseFromString(xhr.responseText, "text/html");
  if (fresh.querySelector(wanted)) {
    removePlacedReplies(fresh);
    updateProfile(fresh, target);
    return;
  }
  event.detail.shouldSwap = false;
  location.reload();
});
