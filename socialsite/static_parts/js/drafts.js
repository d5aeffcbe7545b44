// Drafts survive a reload or a closed page, in this browser only. A draft belongs to its form: a post, the quote of
// a post, the reply to a post or comment, or the message to a user.
import { count } from "./character_counter.js";
import { grow } from "./growing_fields.js";
import { show } from "./notices.js";
import { words } from "./texts.js";

const draftOf = (area) => area.form.matches("[data-draft]") && `draft:${area.form.dataset.draft}`;
const remember = (area) => {
  const key = draftOf(area);
  if (!key) return;
  try {
    if (area.value.trim()) localStorage.setItem(key, area.value);
    else localStorage.removeItem(key);
  } catch { /* storage is full or forbidden: no drafts */ }
};

export const recall = (area) => {
  const key = draftOf(area);
  // A message begins with the name of its recipient.
  if (!key || (area.value && area.value !== area.form.dataset.beginning)) return;
  let text;
  try { text = localStorage.getItem(key); } catch { return; }
  if (!text) return;
  area.value = text;
  count(area);
  grow(area);
  show(words.draft);
};

export const forget = (done) => {
  try { localStorage.removeItem(`draft:${done.dataset.publishedDraft}`); } catch { /* as above */ }
};

document.querySelectorAll("[data-published-draft]").forEach(forget);
for (const area of document.querySelectorAll("[data-draft] textarea[data-limit]")) recall(area);
document.addEventListener("input", ({ target }) => { if (target.matches("textarea[data-limit]")) remember(target); });
