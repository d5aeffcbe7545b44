// Pictures and clips of a draft: upload files as soon as they are chosen, show them at once, and ask until a clip is
// ready. Without JavaScript, files are sent with the form.
"use strict";
(() => {
  const LISTS = "[data-composer] [data-pictures]";
  const notify = (text) => document.dispatchEvent(new CustomEvent("site:message", { detail: { value: text } }));

  const POLL_MS = 2000;
  const announce = (text) => {
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = text;
  };

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
    if (row.dataset.processing) setTimeout(poll, POLL_MS, row);
  };

  // What the user has typed in the row stays: only the preview and the state are replaced.
  const poll = async (row) => {
    if (!row.isConnected) return;
    const response = await fetch(row.dataset.processing).catch(() => null);
    const page = new DOMParser().parseFromString(response?.ok ? await response.text() : "", "text/html");
    const fresh = page.querySelector("body > [data-picture]");
    if (!fresh || fresh.dataset.processing) {
      if (response?.status !== 404 && !response?.redirected) setTimeout(poll, POLL_MS, row);
      return;
    }
    for (const part of ["[data-preview]", "[data-clip-state]"]) {
      row.querySelector(part).replaceWith(fresh.querySelector(part));
    }
    delete row.dataset.processing;
    const form = row.closest("form");
    if ("failedUpload" in fresh.dataset) row.dataset.failedUpload = "";
    else announce(form.querySelector("[data-pictures]").dataset.ready);
    finish(form, stateOf(form));
  };

  const isBusy = (form) => states.get(form)?.current || form.querySelector("[data-processing]");
  const finish = (form, state) => {
    if (isBusy(form)) return;
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
    const hadFocus = row.contains(document.activeElement);
    row.replaceWith(fresh);
    setUp(fresh);
    if (hadFocus) fresh.querySelector("textarea").focus();
    announce(fresh.querySelector("[data-clip-state]")?.textContent ?? list.dataset.done);
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
      const preview = row.querySelector("img");
      const isImage = file.type.startsWith("image/");
      if (isImage) preview.src = URL.createObjectURL(file);
      else preview.hidden = true;
      list.append(row);
      if (!isImage && file.size > Number(list.dataset.clipMb) * 2 ** 20) fail(row, list.dataset.tooLarge);
      else state.queue.push({ row, file });
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

  // The summary of the options shows the choices that differ from the first one.
  const summarize = (select) => {
    const changed = select.closest("[data-options]")?.querySelector(`[data-changed=${select.name}]`);
    if (changed) changed.textContent = select.selectedIndex > 0 ? ` · ${select.selectedOptions[0].text}` : "";
  };
  document.addEventListener("change", ({ target }) => { if (target.matches("select")) summarize(target); });
  // After Back, browsers restore selects without an event.
  addEventListener("pageshow", () => document.querySelectorAll("[data-options] select").forEach(summarize));

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
    if (!isBusy(form)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    stateOf(form).waiting = { submitter: event.submitter };
    const { wait, waitClip } = form.querySelector("[data-pictures]").dataset;
    notify(state?.current ? wait : waitClip);
  }, true);

  for (const row of document.querySelectorAll(`${LISTS} > [data-picture]`)) setUp(row);
})();
