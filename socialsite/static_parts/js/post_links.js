// A click on a post opens it, unless the click hit a control or selected text.
document.addEventListener("click", (event) => {
  const { target } = event;
  const post = target.closest(".post[data-post], .post[data-href]");
  if (!post || target.closest("a, button, summary, label, [data-menu], input, textarea, video, audio")) return;
  if (event.defaultPrevented || event.button !== 0 || String(getSelection())) return;
  const href = post.dataset.href ?? post.querySelector(".post-time").href;
  if (event.ctrlKey || event.metaKey) open(href, "_blank", "noopener");
  else location.assign(href);
});
