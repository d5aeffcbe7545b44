// The appearance changes immediately. The server saves the choice.
import { show } from "./notices.js";
import { words } from "./texts.js";

const changeTheme = (event) => {
  const { target: form, submitter } = event;
  event.preventDefault();
  document.documentElement.dataset.theme = submitter.value;
  for (const button of document.querySelectorAll("[data-theme-buttons] button")) {
    button.setAttribute("aria-pressed", String(button.value === submitter.value));
  }
  fetch(submitter.formAction, { method: "POST", body: new FormData(form, submitter), redirect: "manual" })
    .then((response) => { if (response.type !== "opaqueredirect" && !response.ok) throw new Error("refused"); })
    .catch(() => show(words.failed));
};
document.addEventListener("submit", (event) => {
  if (event.submitter?.closest("[data-theme-buttons]")) changeTheme(event);
});
