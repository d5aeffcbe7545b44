// Show or hide a password.
import { words } from "./texts.js";

document.addEventListener("click", ({ target }) => {
  const peek = target.closest("[data-toggle-password]");
  if (!peek) return;
  const field = document.getElementById(peek.dataset.togglePassword);
  const shown = field.type === "password";
  field.type = shown ? "text" : "password";
  peek.querySelector("[data-toggle-password-label]").textContent = shown ? words.hide : words.show;
});
