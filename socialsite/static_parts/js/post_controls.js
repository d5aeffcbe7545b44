// Buttons of posts and the links to their menus are replaced by the response. They keep the focus.
document.addEventListener("click", (event) => {
  const control = event.target.closest("button.action[form=act], a.post-menu");
  if (!control || !window.htmx || event.ctrlKey || event.metaKey || event.button !== 0) return;
  event.preventDefault();
  const [verb, url] = control.href ? ["GET", control.href] : ["POST", control.formAction];
  htmx.ajax(verb, url, { source: control, target: control, swap: "outerHTML" });
});

let focusWasInside = false;
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr } = event.detail;
  focusWasInside = target.contains(document.activeElement);
  // Log-in pages are whole documents: the session has ended.
  if (target.matches(".action, .post-menu") && xhr.responseText.trimStart().startsWith("<!DOCTYPE")) {
    event.detail.shouldSwap = false;
    location.reload();
  }
});
document.addEventListener("htmx:afterSwap", ({ detail: { elt } }) => {
  if (!elt.matches?.(".action, .post-menu") || !focusWasInside) return;
  (elt.querySelector("summary") ?? elt).focus({ preventScroll: true });
});
