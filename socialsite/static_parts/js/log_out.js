// After a log-out, the back button must not show a page that the browser kept.
const LOGGED_OUT = "logged-out";
const rememberLogOut = () => {
  try { localStorage.setItem(LOGGED_OUT, String(Date.now())); } catch { /* forbidden: live.js asks the server */ }
};
document.addEventListener("submit", ({ target: form, submitter }) => {
  if ((submitter?.formAction ?? form.action).endsWith("/accounts/logout/")) rememberLogOut();
});
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted || !document.body.hasAttribute("hx-headers")) return;
  let time;
  try { time = Number(localStorage.getItem(LOGGED_OUT)); } catch { return; }
  if (time < performance.timeOrigin) return;
  document.body.hidden = true;
  location.reload();
});
