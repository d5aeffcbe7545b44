// Scroll the current tab into view.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const { parentElement: tabs } = tab;
  tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.clientWidth) / 2;
}
