// Run the rule of axe about the size of targets. Axe is slow there, so it gets only targets that are smaller than 24 px
// and close to others, or that overlap. Others pass both checks of the rule, by definition.
async (options) => {
  const least = 24;
  const controls = [...document.querySelectorAll(
    "a, area, audio, button, iframe, input, select, summary, textarea, video, [contenteditable], [tabindex]:not([tabindex='-1'])",
  )].filter((element) => element.checkVisibility({ visibilityProperty: true })).map((element) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const isSmall = width < least || height < least;
    return { element, left, right, top, bottom, isSmall, x: left + width / 2, y: top + height / 2 };
  });
  const doubtful = controls.filter((control) => controls.some((other) => {
    if (other === control) return false;
    const { x, y } = control;
    if (!control.isSmall) {
      return control.left < other.right && other.left < control.right && control.top < other.bottom && other.top < control.bottom;
    }
    const toEdge = Math.hypot(Math.max(other.left - x, x - other.right, 0), Math.max(other.top - y, y - other.bottom, 0));
    return toEdge <= least / 2 || (other.isSmall && Math.hypot(other.x - x, other.y - y) <= least);
  }));
  if (!doubtful.length) return [];
  const { violations } = await axe.run({ include: doubtful.map(({ element }) => element) }, options);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`));
};
