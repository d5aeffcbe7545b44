// Find the visible text of the page that looks different from all text seen before. Returns the numbers of its looks.
// Two texts look the same if they and all their ancestors have the same tags, classes, names of attributes and colors.
(seen) => {
  const known = new Set(seen);
  const looks = new Map();
  const look = (element) => {
    if (!element) return 0;
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      const own = [
        element.localName, element.getAttribute("class"), ...element.getAttributeNames(), style.color, style.backgroundColor,
        style.backgroundImage, style.fontSize, style.fontWeight, style.opacity, style.textDecorationLine, style.position,
      ].join(" ");
      let number = look(element.parentElement);
      for (let index = 0; index < own.length; index += 1) number = (Math.imul(number, 31) + own.charCodeAt(index)) | 0;
      looks.set(element, number);
    }
    return looks.get(element);
  };
  const hasText = (element) => element.matches("a, input, textarea, select")
    || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  // accessibility.py lets axe examine this text.
  self.newLooks = new Map();
  for (const element of document.body.querySelectorAll("*")) {
    if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (!known.has(look(element))) newLooks.set(element, look(element));
  }
  return [...new Set(newLooks.values())];
};
