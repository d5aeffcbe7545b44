// Pictures of a draft: upload files as soon as they are chosen, and show them at once. Without JavaScript, files
// are sent with the form.
"use strict";
(() => {
  const LISTS = "[data-composer] [data-pictures]";
  const notify = (text) => document.dispatchEvent(new CustomEvent("site:message", { detail: { value: text } }));

  // The state of each form: rows to upload, the row that is being uploaded, and the button that waits for them.
  const states = new WeakMap();
  const stateOf = (form) => {
    if (!states.has(form)) states.set(form, { queue: [], current: null, waiting: null });
    return states.get(form);
  };

  // With this script, the button removes a picture at once. Without it, the checkbox is sent with the form.
  const setUp = (row) => {
    const checkbox = row.querySelector(`[name=drop_${row.dataset.picture}]`);
    if (checkbox) checkbox.closest(".field").hidden = true;
  };
  for (const row of document.querySelectorAll(`${LISTS} > [data-picture]`)) setUp(row);

  const finish = (form, state) => {
    const { waiting } = state;
    state.waiting = null;
    if (waiting && !form.querySelector("[data-failed-upload]")) form.requestSubmit(waiting.submitter);
  };

  const fail = (row, text) => {
    row.dataset.failedUpload = "";
    row.querySelector("progress").hidden = true;
    const preview = row.querySelector("img");
    preview.hidden = !preview.naturalWidth;
    row.querySelector("[role=alert]").textContent = text;
  };

  const succeed = (list, row, fresh) => {
    const announcer = document.getElementById("announcer");
    const hadFocus = row.contains(document.activeElement);
    row.replaceWith(fresh);
    setUp(fresh);
    if (hadFocus) fresh.querySelector("textarea").focus();
    if (announcer) announcer.textContent = list.dataset.done;
  };

  // The server decodes one picture at a time, so files are uploaded one after the other.
  const next = (form, state) => {
    const upload = state.queue.shift();
    state.current = upload ?? null;
    if (!upload) { finish(form, state); return; }
    const { row, file } = upload;
    const list = form.querySelector("[data-pictures]");
    const request = new XMLHttpRequest();
    const data = new FormData();
    data.append("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    data.append("pictures", file);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      row.querySelector("progress").value = loaded / total;
    });
    request.addEventListener("loadend", () => {
      URL.revokeObjectURL(row.querySelector("img").src);
      if (row.isConnected) {
        const isText = request.getResponseHeader("Content-Type")?.startsWith("text/plain");
        const page = new DOMParser().parseFromString(isText ? "" : request.responseText, "text/html");
        const fresh = page.querySelector("body > [data-picture]");
        if (request.status === 200 && fresh) succeed(list, row, fresh);
        else fail(row, isText ? request.responseText : list.dataset.failed);
      }
      next(form, state);
    });
    upload.request = request;
    request.open("POST", list.dataset.upload);
    request.send(data);
  };

  const add = (form, files) => {
    const list = form.querySelector("[data-pictures]");
    const template = form.querySelector("[data-upload-row]");
    const state = stateOf(form);
    const free = Math.max(0, Number(list.dataset.limit) - list.children.length);
    if (files.length > free) notify(list.dataset.tooMany);
    for (const file of files.slice(0, free)) {
      const row = template.content.firstElementChild.cloneNode(true);
      row.querySelector("img").src = URL.createObjectURL(file);
      list.append(row);
      state.queue.push({ row, file });
    }
    if (!state.current) next(form, state);
  };

  document.addEventListener("change", ({ target }) => {
    const { form } = target;
    if (!target.matches("[type=file][name=pictures]") || !form.querySelector("[data-pictures]")) return;
    const files = [...target.files];
    target.value = "";
    add(form, files);
  });

  document.addEventListener("paste", (event) => {
    const form = event.target.closest?.("[data-composer]");
    const { files, types } = event.clipboardData;
    if (!form?.querySelector("[data-pictures]") || !files.length || types.includes("text/plain")) return;
    event.preventDefault();
    add(form, [...files]);
  });

  document.addEventListener("click", ({ target }) => {
    const row = target.closest("[data-remove-picture]")?.closest("li");
    if (!row) return;
    const form = row.closest("form");
    const state = stateOf(form);
    if (row.dataset.picture) {
      // A picture of a published post stays unless the form says otherwise.
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name: `drop_${row.dataset.picture}`, value: "on" });
      form.append(field);
    }
    state.queue = state.queue.filter((upload) => upload.row !== row);
    const following = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    if (state.current?.row === row) state.current.request.abort();
    (following?.querySelector("[data-remove-picture]") ?? form.querySelector("textarea")).focus();
  });

  // A form that is sent too early waits for its pictures. This listener runs before the one of site.js.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const state = states.get(form);
    if (!state?.current) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    state.waiting = { submitter: event.submitter };
    notify(form.querySelector("[data-pictures]").dataset.wait);
  }, true);
})();
