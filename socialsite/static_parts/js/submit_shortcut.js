// Ctrl+Enter publishes.
document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches("[data-composer] textarea")) {
    event.preventDefault();
    target.form.requestSubmit();
  }
});
