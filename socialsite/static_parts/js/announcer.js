// Messages for screen readers.
const announcer = document.getElementById("announcer");

export const announce = (text) => {
  if (!announcer || !text) return;
  announcer.textContent = "";
  requestAnimationFrame(() => { announcer.textContent = text; });
};
