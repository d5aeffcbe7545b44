// The browser keeps the sidebar for a minute. After a change it asks for another URL.
const CHANGED = "changed-at";
const noteChange = () => {
  try { sessionStorage.setItem(CHANGED, Date.now().toString(36)); } catch { /* forbidden: the sidebar may be old */ }
};
document.addEventListener("submit", ({ target }) => { if (target.method !== "get") noteChange(); });
document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.verb !== "get") noteChange();
  if (!detail.elt.matches("[data-after-changes]")) return;
  let changed;
  try { changed = sessionStorage.getItem(CHANGED); } catch { return; }
  if (changed) detail.parameters.after = changed;
});
