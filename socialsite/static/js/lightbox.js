// Shows the pictures of a post over the page (_lightbox.html). site.js imports this module when the first picture
// is opened. The lightbox is an entry of the browser's history, so Back closes it.
const SWIPE_PX = 50;
const dialog = document.getElementById("lightbox");
const [stage, text, position, file, zoomButton] = [
  ".lightbox-picture", ".lightbox-text", "[data-position]", "[data-file]", "[data-zoom]",
].map((selector) => dialog.querySelector(selector));
const image = new Image();
image.alt = "";
zoomButton.append(image);

let links = [];
let at = 0;
let isEntered = false; // the current entry of the history is the lightbox's

const zoom = (isOn, { offsetX = 0, offsetY = 0, detail = 0 } = {}) => {
  const { clientWidth, clientHeight, naturalWidth } = image;
  const [x, y] = detail ? [offsetX / clientWidth, offsetY / clientHeight] : [.5, .5];
  dialog.classList.toggle("is-zoomed", isOn);
  zoomButton.setAttribute("aria-pressed", String(isOn));
  image.style.inlineSize = isOn ? `${Math.max(naturalWidth, 2 * clientWidth)}px` : "";
  stage.scrollTo(x * stage.scrollWidth - stage.clientWidth / 2, y * stage.scrollHeight - stage.clientHeight / 2);
};

const show = (index) => {
  at = (index + links.length) % links.length;
  const link = links[at];
  const small = link.querySelector("img");
  zoom(false);
  image.width = small.getAttribute("width");
  image.height = small.getAttribute("height");
  image.src = link.href;
  file.href = link.href;
  text.textContent = small.alt === dialog.dataset.undescribed ? "" : small.alt;
  position.textContent = `${at + 1}/${links.length}`;
};

const step = (by) => { if (links.length > 1) show(at + by); };

export const open = (link) => {
  links = [...link.closest(".media").querySelectorAll("a")];
  for (const control of dialog.querySelectorAll("[data-step], [data-position]")) control.hidden = links.length < 2;
  show(links.indexOf(link));
  if (dialog.open) return;
  history.pushState({ ...history.state, lightbox: true }, "");
  isEntered = true;
  dialog.showModal();
};

// After Escape or the button, leave its entry. After Back, the browser has left it already.
dialog.addEventListener("close", () => {
  image.removeAttribute("src");
  links[at]?.focus({ preventScroll: true });
  if (!isEntered) return;
  isEntered = false;
  history.back();
});
addEventListener("popstate", () => {
  if (dialog.open) {
    isEntered = false;
    dialog.close();
  } else if (history.state?.lightbox && links[at]?.isConnected) {
    show(at);
    isEntered = true;
    dialog.showModal();
  }
});

dialog.addEventListener("click", (event) => {
  const { target } = event;
  if (target.closest("[data-zoom]")) zoom(!dialog.classList.contains("is-zoomed"), event);
  else if (target.closest("[data-step]")) step(Number(target.closest("[data-step]").dataset.step));
  else if (target.closest("[data-close]") || target === stage) dialog.close();
});

dialog.addEventListener("keydown", (event) => {
  const { key } = event;
  if (!["ArrowLeft", "ArrowRight"].includes(key) || dialog.classList.contains("is-zoomed")) return;
  event.preventDefault();
  step((key === "ArrowRight") === (document.documentElement.dir !== "rtl") ? 1 : -1);
});

let start = null;
stage.addEventListener("pointerdown", (event) => {
  const isPlain = event.isPrimary && event.pointerType !== "mouse" && !dialog.classList.contains("is-zoomed");
  start = isPlain && (visualViewport?.scale ?? 1) < 1.01 ? event : null;
});
stage.addEventListener("pointerup", ({ clientX, clientY }) => {
  if (!start) return;
  const [x, y] = [clientX - start.clientX, clientY - start.clientY];
  start = null;
  if (Math.abs(x) > SWIPE_PX && Math.abs(x) > 2 * Math.abs(y)) {
    step((x < 0) === (document.documentElement.dir !== "rtl") ? 1 : -1);
  }
});
