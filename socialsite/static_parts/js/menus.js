// Menus close with Escape and with a click elsewhere.
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      const inside = menu.contains(document.activeElement);
      menu.open = false;
      if (inside) menu.querySelector("summary").focus();
    }
  }
});
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(target)) menu.open = false;
  }
});

// The down arrow opens a menu. Within it, the arrow keys, Home and End move the focus.
document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  const isStep = ["ArrowDown", "ArrowUp", "Home", "End"].includes(key);
  if (!isStep || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (target.matches("input:not([type=checkbox]), select, textarea")) return;
  if (target.matches("a.post-menu") && key === "ArrowDown") { event.preventDefault(); target.click(); return; }
  const menu = target.closest("details[data-menu]");
  if (!menu || (!menu.open && key !== "ArrowDown")) return;
  event.preventDefault();
  menu.open = true;
  const items = [...menu.querySelectorAll("a[href], button, input, select, textarea")]
    .filter((item) => item.checkVisibility?.() ?? item.getClientRects().length > 0);
  const at = items.indexOf(target);
  const steps = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 };
  items.at(steps[key] % items.length).focus();
});
