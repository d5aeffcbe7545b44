// What axe does not check. Returns a list of problems of the page.
// `least`: minimum width and height of links and buttons, in pixels. 0 skips this check. A negative number skips all
// checks but those of widths.
(least) => {
  const problems = [];
  const report = (problem, element) => problems.push(`${problem}: ${element.outerHTML.slice(0, 160)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true });

  if (all("h1").length !== 1) problems.push(`${all("h1").length} h1`);
  if (!document.title.trim().match(/^[^·\s].* · /)) problems.push(`title "${document.title}"`);
  // On phones, `innerWidth` grows with what is too wide.
  const { scrollWidth: pageWidth, clientWidth: windowWidth } = document.documentElement;
  if (pageWidth > windowWidth) problems.push(`scrolls sideways: ${pageWidth} of ${windowWidth}`);
  // Text that is wider than its button covers what is beside it, although the page does not scroll.
  for (const element of all("a, button, summary, label, th, legend")) {
    const { clientWidth, scrollWidth } = element;
    if (!clientWidth || scrollWidth <= clientWidth + 1 || !isVisible(element)) continue;
    if (getComputedStyle(element).textOverflow === "ellipsis" || element.matches(".visually-hidden")) continue;
    report(`text of ${scrollWidth} px in ${clientWidth} px`, element);
  }
  for (const row of all("[data-post] .post-actions")) {
    const bottoms = [...row.children].filter(isVisible).map((action) => action.getBoundingClientRect().bottom);
    if (Math.max(...bottoms) - Math.min(...bottoms) > 8) report("actions on several rows", row);
  }

  if (least < 0) return problems;

  // References. axe reports a missing id only as "needs review".
  const ids = all("[id]").map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) problems.push(`id ${id} twice`);
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
    for (const element of all(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(" ")) {
        if (!document.getElementById(id)) report(`${attribute} of a missing element`, element);
      }
    }
  }
  for (const element of all("i")) {
    const size = element.className.match(/icon-(\d+)/)?.[1] ?? "20";
    const { maskImage, width } = getComputedStyle(element);
    if (maskImage === "none" || (isVisible(element) && width !== `${size}px`)) report("no such icon", element);
  }
  // The offline page stands for any page, so its link "Try again" is empty.
  const mayBeEmpty = location.pathname === "/offline/" ? "main > a" : "none";
  for (const link of all("a")) {
    if (!link.getAttribute("href") && !link.matches(mayBeEmpty)) report("link without an address", link);
  }
  if (!least) return problems;
  if (!matchMedia("(pointer: coarse)").matches) problems.push("no screen for touch");

  // A finger needs 44 px and a mouse 24 px. Links within text may be as low as their line.
  const controls = "a[href], button, summary, input:not([type=hidden]), textarea, select";
  const inText = ".post-text, .prose, .bio, .notification-text, .skip-link, [aria-hidden=true], .visually-hidden"
    // The admin: links in sentences, and the boxes that select rows.
    + ", .moderation-page :is(p, h2, h3), .skip-to-content-link, .help, .quiet, .datetimeshortcuts, .action-checkbox, .action-checkbox-column, .theme-toggle";
  for (const element of all(controls)) {
    if (!isVisible(element) || element.closest(inText)) continue;
    let { left, top, width, height } = element.getBoundingClientRect();
    // The edges of the screen can be covered.
    if (top < innerHeight / 4 || top + height > (innerHeight * 3) / 4 || left < 0 || left + width > innerWidth) {
      element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      ({ left, top, width, height } = element.getBoundingClientRect());
    }
    const hits = (x, y) => {
      const hit = document.elementFromPoint(x, y);
      return hit && (element.contains(hit) || hit.closest("label")?.contains(element));
    };
    const [x, y] = [left + width / 2, top + height / 2];
    // Most targets reach as far to both sides.
    const distances = [4, 8, 12, 16, 20, 24].filter((distance) => distance < least / 2).concat(least / 2 - 0.25);
    const isLarge = (dx, dy) => distances.every((far) => hits(x - dx * far, y - dy * far) && hits(x + dx * far, y + dy * far));
    if (isLarge(1, 0) && isLarge(0, 1)) continue;
    // Large steps come first, because half a pixel at a time takes a minute for all pages.
    const reach = (dx, dy) => {
      let distance = 0;
      for (const step of [4, 0.5]) {
        while (distance < least && hits(x + dx * (distance + step), y + dy * (distance + step))) distance += step;
      }
      return distance;
    };
    const [wide, high] = [reach(-1, 0) + reach(1, 0), reach(0, -1) + reach(0, 1)];
    if (wide < least - 0.5 || high < least - 0.5) report(`target ${wide} by ${high}`, element);
  }
  return problems;
};
