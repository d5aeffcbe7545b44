// Find the targets that axe has to examine: those that are smaller than 24 px and close to others, or that overlap.
// Others pass both checks of the rule about the size of targets, by definition. Returns their number.
(hasMouse) => {
  self.doubtfulTargets = new Set();
  if (!hasMouse) return 0;
  const [least, slack] = [24, 1];
  const controls = [...document.querySelectorAll(
    "a, area, audio, button, iframe, input, select, summary, textarea, video, [contenteditable], [tabindex]:not([tabindex='-1'])",
  )].filter((element) => element.checkVisibility({ visibilityProperty: true })).map((element) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const isSmall = width < least + 2 * slack || height < least + 2 * slack;
    // Links within sentences are exempt.
    const isInText = getComputedStyle(element).display === "inline"
      && [...element.parentElement.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    return { element, isInText, left, right, top, bottom, isSmall, x: left + width / 2, y: top + height / 2 };
  });
  const doubtful = controls.filter((control) => !control.isInText && controls.some((other) => {
    if (other === control) return false;
    const { x, y } = control;
    if (!control.isSmall) {
      const wide = Math.min(control.right, other.right) - Math.max(control.left, other.left);
      const high = Math.min(control.bottom, other.bottom) - Math.max(control.top, other.top);
      return Math.min(wide, high) > slack;
    }
    const toEdge = Math.hypot(Math.max(other.left - x, x - other.right, 0), Math.max(other.top - y, y - other.bottom, 0));
    return toEdge <= least / 2 || (other.isSmall && Math.hypot(other.x - x, other.y - y) <= least);
  }));
  self.doubtfulTargets = new Set(doubtful.map(({ element }) => element));
  return doubtful.length;
};
