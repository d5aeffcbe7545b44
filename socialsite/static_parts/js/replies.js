// Replies that are written below their comment, without another page.
import { announce } from "./announcer.js";
import { count } from "./character_counter.js";
import { forget, recall } from "./drafts.js";
import { grow } from "./growing_fields.js";
import { words } from "./texts.js";

// A published reply moves to the end of its thread, as after a reload, and the numbers of comments change. In lists
// of comments on several posts it stays below the comment.
const placeReply = (reply) => {
  const list = document.getElementById("comments");
  if (!list) return;
  const { thread, count, countText } = reply.dataset;
  const title = document.getElementById("comments-title");
  if (title) title.textContent = countText;
  const number = list.querySelector("[data-post] a.action .count");
  if (number) number.textContent = count;
  const root = "oneThread" in list.dataset ? null : document.getElementById(`comment-${thread}`).parentElement;
  let replies = root ? root.querySelector(".replies") : list;
  if (!replies) {
    replies = document.createElement("ol");
    replies.className = "posts replies";
    root.append(replies);
  }
  const item = document.createElement("li");
  item.append(reply);
  replies.append(item);
  const hint = list.previousElementSibling;
  if (hint?.matches(".page-intro")) hint.remove(); // "No replies yet."
};

// A later part of the page has the replies that `placeReply` put at its end.
export const removePlacedReplies = (fresh) => {
  for (const reply of document.querySelectorAll("#comments > li > [data-published-draft]")) {
    if (fresh.getElementById(reply.firstElementChild.id)) reply.parentElement.remove();
  }
};

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  // The response is the form with its errors.
  if (detail.target.matches("[data-replies]") && [422, 429].includes(detail.xhr.status)) {
    detail.shouldSwap = true;
    detail.isError = false;
  }
});
document.addEventListener("htmx:afterSwap", ({ detail: { target: replies } }) => {
  if (!replies?.matches?.("[data-replies]")) return;
  const area = replies.querySelector("textarea[data-limit]");
  if (area) { count(area); grow(area); recall(area); area.focus(); }
  const published = replies.querySelector("[data-published-draft]");
  if (published) {
    forget(published);
    placeReply(published);
    announce(words.replied);
    published.querySelector("a:not([tabindex])")?.focus();
  }
});
