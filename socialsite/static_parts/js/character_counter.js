// The number of characters left for a text.
import { announce } from "./announcer.js";
import { words } from "./texts.js";

// Count code points as the server does. A line break counts as one.
const length = (text) => Array.from(text.normalize("NFC").replace(/\r\n?/g, "\n").trim()).length;
const lastSaid = new WeakMap();

export const count = (area) => {
  const limit = Number(area.dataset.limit);
  const left = limit - length(area.value);
  const counter = area.form.querySelector("[data-counter]");
  area.setCustomValidity(left < 0 ? words.tooLong : "");
  if (!counter) return;
  const used = Math.min(100, Math.max(0, ((limit - left) / limit) * 100));
  counter.classList.toggle("is-near", left >= 0 && left <= 50);
  counter.classList.toggle("is-over", left < 0);
  counter.querySelector(".counter-left").textContent = String(left);
  counter.querySelector(".counter-ring").setAttribute("stroke-dasharray", `${used} 100`);
  const step = left < 0 ? "over" : left <= 10 ? "10" : left <= 50 ? "50" : "";
  if (step && lastSaid.get(area) !== step) {
    announce((left < 0 ? words.over : words.left).replace("%s", String(Math.abs(left))));
  }
  lastSaid.set(area, step);
};

document.querySelectorAll("textarea[data-limit]").forEach(count);
document.addEventListener("input", ({ target }) => { if (target.matches("textarea[data-limit]")) count(target); });
