// Find the visible elements whose markup axe has not examined at any width. Returns the numbers of their markup.
// Two elements have the same markup if their descendants are the same, and if their ancestors mean and look the same.
// Words, ids, addresses and numbers do not count, only whether they are missing. The outline of the page has a number, too.
(examined) => {
  const known = new Set(examined.split(" "));
  const hash = (text, number = 7) => {
    for (let index = 0; index < text.length; index += 1) number = (Math.imul(number, 31) + text.charCodeAt(index)) | 0;
    return number;
  };
  const references = new Set(["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-activedescendant", "for", "headers", "list"]);
  const hasWords = (element) => Boolean(element?.textContent.trim());
  const valueOf = ({ name, value, ownerElement }) => {
    if (references.has(name)) {
      return value.split(" ").map((id) => document.getElementById(id)).map((target) => `${target?.localName}${hasWords(target)}`).join();
    }
    if (name === "alt") return Boolean(value.trim()) && ownerElement.closest("a, button")?.textContent.includes(value.trim());
    if (name === "href") return value && (value[0] === "#" ? "#" : "/");
    if (name === "style") return value.replace(/[\d.]+/g, "");
    const isExact = ["role", "class", "data-theme", "type", "lang", "dir", "scope", "tabindex", "autocomplete", "target"].includes(name)
      || (name.startsWith("aria-") && name !== "aria-label");
    return isExact ? value : Boolean(value.trim());
  };
  const describe = (attributes) => attributes.map((attribute) => `${attribute.name}=${valueOf(attribute)}`).join(" ");
  const ownTextOf = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true });
  // What rules about the whole page read: landmarks, headings, and what is outside of landmarks.
  const landmarks = "main, nav, aside, :is(header, footer):not(:is(article, aside, main, nav, section) *), [role], :is(section, form):is([aria-label], [aria-labelledby])";
  const outlined = `html, meta, iframe, [accesskey], a[href^="#"], h1, h2, h3, h4, h5, h6, ${landmarks}`;
  const outline = [document.querySelector("meta[name=viewport]")?.content];
  const addToOutline = (element, inside) => {
    const isOutside = !element.closest(landmarks) && (ownTextOf(element) || element.matches("img, svg, video, input, button"));
    if (!isOutside && !element.matches(outlined)) return;
    const label = element.getAttribute("aria-label") ?? element.getAttribute("aria-labelledby");
    const entry = [inside, isVisible(element), label, element.matches("a") && element.getAttribute("href")].join(" ");
    if (outline.at(-1) !== entry) outline.push(entry);
  };
  const named = "a, button, summary, label, legend, th, h1, h2, h3, h4, h5, h6, [role]";
  self.newMarkup = new Map();
  const visit = (element, ancestors) => {
    const attributes = [...element.attributes];
    const meaning = attributes.filter(({ name }) => /^(role|class|style|lang|hidden|inert|disabled|open|data-theme|aria-.*)$/.test(name));
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, overflow } = getComputedStyle(element);
    const inside = hash([element.localName, describe(meaning), backgroundColor, backgroundImage, opacity].join(" "), ancestors);
    addToOutline(element, inside);
    const labels = [...(element.labels ?? [])].map(hasWords).join();
    const scrolls = element.scrollHeight > element.clientHeight && /auto|scroll/.test(overflow);
    // Contrast depends on colors, which can differ between widths, and less of it is enough for large text.
    const isLarge = parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24);
    const text = ownTextOf(element) && [color, isLarge].join();
    let markup = hash([element.localName, describe(attributes), text, backgroundColor, labels, scrolls].join("|"));
    for (const child of element.children) markup = hash(`${visit(child, inside)}`, markup);
    // What is hidden on some screens may be the only name.
    const shown = element.matches(named) ? [...element.children].map(isVisible).join() : "";
    const key = hash(`${markup} ${shown}`, ancestors).toString(36);
    if (!known.has(key) && isVisible(element)) newMarkup.set(element, key);
    return markup;
  };
  const styles = [...document.styleSheets].map(({ href, ownerNode }) => href ?? ownerNode.textContent);
  visit(document.documentElement, hash(styles.join()));
  const outlineKey = `outline${hash(outline.join("|"))}`;
  self.isNewOutline = !known.has(outlineKey);
  return [...new Set(newMarkup.values()), ...(isNewOutline ? [outlineKey] : [])].join(" ");
};
