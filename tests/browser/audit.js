// What any page must keep, checked by hand: returns the list of what it does not.
(least) => {
  const found = [];
  const say = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const named = (element) => {
    const ids = element.getAttribute("aria-labelledby")?.split(" ") ?? [];
    const words = ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const shown = element.textContent.trim() || element.querySelector("img")?.alt || "";
    return (element.getAttribute("aria-label") || words || shown).trim();
  };

  // The page as a whole.
  if (all("h1").length !== 1) found.push(`${all("h1").length} h1`);
  if (all("main").length !== 1) found.push(`${all("main").length} main`);
  if (!document.querySelector("header")) found.push("no header");
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title.trim().match(/^[^·\s].* · /)) found.push(`title "${document.title}"`);
  const navs = all("nav").filter(seen);
  if (navs.length > 1) for (const nav of navs) if (!nav.getAttribute("aria-label")) say("nameless nav", nav);
  const landmarks = all("section[aria-label], section[aria-labelledby], nav, aside, [role=search]").filter(seen);
  const titles = landmarks.map((one) => `${one.tagName} "${named(one)}"`);
  for (const title of new Set(titles)) if (titles.filter((one) => one === title).length > 1) found.push(`landmark ${title} twice`);
  for (const element of all(".post-text a")) {
    if (seen(element) && !getComputedStyle(element).textDecorationLine.includes("underline")) say("told by colour alone", element);
  }
  let level = 0;
  for (const heading of all("h1, h2, h3, h4")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) say(`h${own} after h${level}`, heading);
    level = own;
  }
  const ids = all("[id]").map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) found.push(`id ${id} twice`);
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
    for (const element of all(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(" ")) {
        if (!document.getElementById(id)) say(`${attribute} to nothing`, element);
      }
    }
  }
  for (const element of all("[tabindex]")) if (element.tabIndex > 0) say("own tab order", element);
  for (const element of all("use")) {
    if (!document.querySelector(element.getAttribute("href"))) say("no such icon", element);
  }

  // Names.
  for (const image of all("img")) if (!image.hasAttribute("alt")) say("no alt", image);
  for (const field of all("input:not([type=hidden]), textarea, select")) {
    if (!field.labels?.length && !named(field)) say("no label", field);
  }
  for (const element of all("a[href], button, summary")) {
    if (!element.closest("[aria-hidden=true]") && !named(element)) say("no name", element);
  }
  for (const link of all("a")) if (!link.getAttribute("href")) say("link to nowhere", link);

  // Readable on what is behind it. Colours that are mixed or blurred have no plain rgb() and are left out.
  const parts = (colour) => colour.match(/^rgba?\(/) ? colour.match(/[\d.]+/g).map(Number) : null;
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const colour = parts(style.backgroundColor);
      if (!colour) return null;
      if ((colour[3] ?? 1) === 1) return colour;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.textContent.trim() || !seen(element)) continue;
    const style = getComputedStyle(element);
    const [ink, paper] = [parts(style.color), behind(element)];
    if (!ink || !paper) continue;
    const [a, b] = [light(ink), light(paper)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    if (contrast < (large ? 3 : 4.5)) say(`contrast ${contrast.toFixed(2)}`, element);
  }

  if (document.documentElement.scrollWidth > innerWidth) {
    found.push(`scrolls sideways: ${document.documentElement.scrollWidth} of ${innerWidth}`);
  }
  if (!least) return found;

  // A finger of 44 px, or a mouse with 24, hits what it is meant for. Links within words may be as low as
  // their line.
  const controls = "a[href], button, summary, input:not([type=hidden]), textarea, select";
  for (const element of all(controls)) {
    if (!seen(element) || element.closest(".post-text, .prose, .bio, .notification-text, .skip-link, [aria-hidden=true], .visually-hidden")) continue;
    element.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const hits = (x, y) => {
      const hit = document.elementFromPoint(x, y);
      return hit && (element.contains(hit) || hit.closest("label")?.contains(element));
    };
    const [x, y] = [left + width / 2, top + height / 2];
    // In large steps first: to ask for every half pixel takes a minute for all pages.
    const reach = (dx, dy) => {
      let far = 0;
      for (const step of [4, 0.5]) {
        while (far < least && hits(x + dx * (far + step), y + dy * (far + step))) far += step;
      }
      return far;
    };
    const [wide, high] = [reach(-1, 0) + reach(1, 0), reach(0, -1) + reach(0, 1)];
    if (wide < least - 0.5 || high < least - 0.5) say(`target ${wide} by ${high}`, element);
  }
  return found;
};
