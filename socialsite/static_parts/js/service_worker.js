// The browser asks for a new version of the worker at most once an hour (socialsite/web_app.py).
const { serviceWorker } = navigator;
if (serviceWorker && !serviceWorker.controller) {
  addEventListener("load", () => {
    serviceWorker.register("/worker.js", { updateViaCache: "all" }).catch(() => { /* forbidden: no offline pages */ });
  });
}
