// Requests of htmx that fail.
import { show } from "./notices.js";
import { release } from "./submit_once.js";
import { words } from "./texts.js";

const failed = (event) => {
  const { xhr, elt } = event.detail;
  if (elt?.matches("[data-silent]")) return;
  if (elt?.matches("[data-submit-once]")) release(elt);
  const isPlainText = xhr?.getResponseHeader?.("Content-Type")?.startsWith("text/plain");
  if (xhr?.status === 429) show(isPlainText ? xhr.responseText : words.wait);
  else show(navigator.onLine ? words.failed : words.noConnection);
};
for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(name, failed);
