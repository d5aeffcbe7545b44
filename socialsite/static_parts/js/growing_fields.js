// Text fields grow with their text. Newer browsers do this by a style.
export const grow = (area) => {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
};

document.querySelectorAll("textarea[data-limit]").forEach(grow);
document.addEventListener("input", ({ target }) => { if (target.matches("textarea")) grow(target); });
