// Find the text with new markup (markup.js) whose look is new. Returns the numbers of its looks. Call it in each theme, in
// the last one with the looks that were examined before, because two texts look the same if they do so in all themes.
(examined) => {
  document.getAnimations().forEach((animation) => animation.finish());
  const hash = (text, number) => {
    for (let index = 0; index < text.length; index += 1) number = (Math.imul(number, 31) + text.charCodeAt(index)) | 0;
    return number;
  };
  // What is behind a text: the backgrounds of its ancestors, and what is placed over other elements.
  const grounds = new Map([[null, 7]]);
  const groundOf = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity, position, filter } = getComputedStyle(element);
      const ground = [];
      if (backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none") ground.push(backgroundColor, backgroundImage);
      if (opacity !== "1" || filter !== "none") ground.push(opacity, filter);
      if (position === "absolute" || position === "fixed") ground.push(position, element.localName, element.getAttribute("class"));
      // Axe does not examine these.
      if (element.matches(":disabled, [aria-disabled=true], [aria-hidden=true], label:has(:disabled)")) ground.push("exempt");
      const behind = groundOf(element.parentElement);
      grounds.set(element, ground.length ? hash(ground.join(" "), behind) : behind);
    }
    return grounds.get(element);
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const lookOf = (element) => {
    const { color, fontSize, fontWeight, textDecorationLine, textShadow } = getComputedStyle(element);
    const look = [color, fontSize, fontWeight, textDecorationLine, textShadow, element.matches("input, textarea, select")];
    const parent = element.parentElement;
    // Links have to differ from the text around them.
    if (element.localName === "a") look.push("a", getComputedStyle(parent).color, getComputedStyle(parent).fontWeight, hasText(parent));
    return hash(look.join(" "), groundOf(element));
  };
  const texts = [...newMarkup.keys()].filter((element) => element.closest("body")
    && (element.matches("a, input, textarea, select") || hasText(element)));
  const looks = new Map(texts.map((element) => [element, lookOf(element)]));
  if (examined) {
    for (const [element, look] of looks) looks.set(element, hash(`${self.earlierLooks.get(element)}`, look));
    // accessibility.py lets axe examine this text.
    const known = new Set(examined);
    self.newLooks = new Map([...looks].filter(([, look]) => !known.has(look)));
    return [...new Set(newLooks.values())];
  }
  self.earlierLooks = looks;
  return looks.size;
};
