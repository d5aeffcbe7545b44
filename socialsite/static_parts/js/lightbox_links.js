// Pictures open in the lightbox, which is loaded with the first picture.
const lightbox = document.getElementById("lightbox");
// After a reload, the lightbox is closed. Leave its entry of the history, so that Back does not do nothing.
if (history.state?.lightbox) history.back();

document.addEventListener("click", (event) => {
  const picture = event.target.closest(".media a");
  if (!picture || !lightbox || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  import(lightbox.dataset.script).then(({ open }) => open(picture), () => location.assign(picture.href));
});
