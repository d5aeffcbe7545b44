// Prevent double submits. The back button makes the form usable again.
import { show } from "./notices.js";
import { words } from "./texts.js";

export const release = (form) => {
  delete form.dataset.sending;
  for (const button of form.querySelectorAll("button[aria-disabled]")) {
    button.removeAttribute("aria-disabled");
    if (button.dataset.idleLabel) button.textContent = button.dataset.idleLabel;
  }
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-submit-once]")) return;
  if (form.dataset.sending) { event.preventDefault(); return; }
  if (!navigator.onLine) { event.preventDefault(); show(words.offline, { stay: true }); return; }
  form.dataset.sending = "true";
  const button = event.submitter || form.querySelector("button:not([type=button])");
  if (!button) return;
  button.setAttribute("aria-disabled", "true");
  if (button.dataset.busyLabel) {
    button.dataset.idleLabel = button.textContent;
    button.textContent = button.dataset.busyLabel;
  }
});
addEventListener("pageshow", () => document.querySelectorAll("form[data-sending]").forEach(release));
