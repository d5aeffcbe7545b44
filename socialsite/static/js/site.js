// Enhancements of pages that work without JavaScript. The document has one listener per event type, so
// content that htmx inserts later works too. The texts are in _script_texts.html.
"use strict";
(() => {
  const root = document.documentElement;
  const announcer = document.getElementById("announcer");
  const notice = document.getElementById("notice");
  const words = announcer ? announcer.dataset : {};
  root.classList.add("js");
  // htmx reads its configuration when the document is complete, so after this script.
  Object.assign(window.htmx?.config ?? {}, {
    includeIndicatorStyles: false, allowEval: false, allowScriptTags: false, historyEnabled: false,
    selfRequestsOnly: true, scrollIntoViewOnBoost: false, timeout: 15000,
  });

  const announce = (text) => {
    if (!announcer || !text) return;
    announcer.textContent = "";
    requestAnimationFrame(() => { announcer.textContent = text; });
  };

  // The server shows times in the time zone of this cookie. Only the very first page is in UTC.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && !document.cookie.split("; ").includes(`time_zone=${zone}`)) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `time_zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }

  // The browser asks for a new version of the worker at most once an hour (socialsite/web_app.py).
  const { serviceWorker } = navigator;
  if (serviceWorker && !serviceWorker.controller) {
    addEventListener("load", () => {
      serviceWorker.register("/worker.js", { updateViaCache: "all" }).catch(() => { /* forbidden: no offline pages */ });
    });
  }

  let noticeTimer;
  const show = (text, { stay = false } = {}) => {
    if (!notice || !text) return;
    clearTimeout(noticeTimer);
    notice.textContent = text;
    notice.hidden = false;
    if (!stay) noticeTimer = setTimeout(() => { notice.hidden = true; }, 6000);
  };

  // Composer: count code points as the server does. A line break counts as one.
  const length = (text) => Array.from(text.normalize("NFC").replace(/\r\n?/g, "\n").trim()).length;
  const lastSaid = new WeakMap();

  const count = (area) => {
    const limit = Number(area.dataset.limit);
    const left = limit - length(area.value);
    const counter = area.form.querySelector("[data-counter]");
    area.setCustomValidity(left < 0 ? words.tooLong : "");
    if (!counter) return;
    const used = Math.min(100, Math.max(0, ((limit - left) / limit) * 100));
    counter.classList.toggle("is-near", left >= 0 && left <= 50);
    counter.classList.toggle("is-over", left < 0);
    counter.querySelector(".counter-left").textContent = String(left);
    counter.querySelector(".counter-ring").setAttribute("stroke-dasharray", `${used} 100`);
    const step = left < 0 ? "over" : left <= 10 ? "10" : left <= 50 ? "50" : "";
    if (step && lastSaid.get(area) !== step) {
      announce((left < 0 ? words.over : words.left).replace("%s", String(Math.abs(left))));
    }
    lastSaid.set(area, step);
  };

  const grow = (area) => {
    if (CSS.supports("field-sizing", "content")) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  };

  for (const area of document.querySelectorAll("textarea[data-limit]")) {
    count(area);
    grow(area);
  }
  for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
    const { parentElement: tabs } = tab;
    tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.clientWidth) / 2;
  }
  document.addEventListener("input", ({ target }) => {
    if (target.matches("textarea")) grow(target);
    if (target.matches("textarea[data-limit]")) { count(target); remember(target); }
  });

  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (key === "Enter" && (event.ctrlKey || event.metaKey) && target.matches("[data-composer] textarea")) {
      event.preventDefault();
      target.form.requestSubmit();
    }
    if (key === "Escape") {
      for (const menu of document.querySelectorAll("details[data-menu][open]")) {
        const inside = menu.contains(document.activeElement);
        menu.open = false;
        if (inside) menu.querySelector("summary").focus();
      }
    }
  });

  // The down arrow opens a menu. Within it, the arrow keys, Home and End move the focus.
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isStep = ["ArrowDown", "ArrowUp", "Home", "End"].includes(key);
    if (!isStep || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.matches("input:not([type=checkbox]), select, textarea")) return;
    if (target.matches("a.post-menu") && key === "ArrowDown") { event.preventDefault(); target.click(); return; }
    const menu = target.closest("details[data-menu]");
    if (!menu || (!menu.open && key !== "ArrowDown")) return;
    event.preventDefault();
    menu.open = true;
    const items = [...menu.querySelectorAll("a[href], button, input, select, textarea")]
      .filter((item) => item.checkVisibility?.() ?? item.getClientRects().length > 0);
    const at = items.indexOf(target);
    const steps = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 };
    items.at(steps[key] % items.length).focus();
  });

  // Drafts survive a reload or a closed page, in this browser only. A draft belongs to its form: a post, the quote of
  // a post, the reply to a post or comment, or the message to a user.
  const draftOf = (area) => area.form.matches("[data-draft]") && `draft:${area.form.dataset.draft}`;
  const remember = (area) => {
    const key = draftOf(area);
    if (!key) return;
    try {
      if (area.value.trim()) localStorage.setItem(key, area.value);
      else localStorage.removeItem(key);
    } catch { /* storage is full or forbidden: no drafts */ }
  };
  const recall = (area) => {
    const key = draftOf(area);
    // A message begins with the name of its recipient.
    if (!key || (area.value && area.value !== area.form.dataset.beginning)) return;
    let text;
    try { text = localStorage.getItem(key); } catch { return; }
    if (!text) return;
    area.value = text;
    count(area);
    grow(area);
    show(words.draft);
  };
  const forget = (done) => {
    try { localStorage.removeItem(`draft:${done.dataset.publishedDraft}`); } catch { /* as above */ }
  };
  document.querySelectorAll("[data-published-draft]").forEach(forget);
  for (const area of document.querySelectorAll("[data-draft] textarea[data-limit]")) recall(area);

  // After a log-out, the back button must not show a page that the browser kept.
  const LOGGED_OUT = "logged-out";
  const rememberLogOut = () => {
    try { localStorage.setItem(LOGGED_OUT, String(Date.now())); } catch { /* forbidden: live.js asks the server */ }
  };
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted || !document.body.hasAttribute("hx-headers")) return;
    let time;
    try { time = Number(localStorage.getItem(LOGGED_OUT)); } catch { return; }
    if (time < performance.timeOrigin) return;
    document.body.hidden = true;
    location.reload();
  });

  // Prevent double submits. The back button makes the form usable again.
  const release = (form) => {
    delete form.dataset.sending;
    for (const button of form.querySelectorAll("button[aria-disabled]")) {
      button.removeAttribute("aria-disabled");
      if (button.dataset.idleLabel) button.textContent = button.dataset.idleLabel;
    }
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.submitter?.closest("[data-theme-buttons]")) { changeTheme(event); return; }
    if ((event.submitter?.formAction ?? form.action).endsWith("/accounts/logout/")) rememberLogOut();
    if (!form.matches("[data-submit-once]")) return;
    if (form.dataset.sending) { event.preventDefault(); return; }
    if (!navigator.onLine) { event.preventDefault(); show(words.offline, { stay: true }); return; }
    form.dataset.sending = "true";
    const button = event.submitter || form.querySelector("button:not([type=button])");
    if (!button) return;
    button.setAttribute("aria-disabled", "true");
    if (button.dataset.busyLabel) {
      button.dataset.idleLabel = button.textContent;
      button.textContent = button.dataset.busyLabel;
    }
  });
  addEventListener("pageshow", () => document.querySelectorAll("form[data-sending]").forEach(release));

  // The appearance changes immediately. The server saves the choice.
  const changeTheme = (event) => {
    const { target: form, submitter } = event;
    event.preventDefault();
    root.dataset.theme = submitter.value;
    for (const button of document.querySelectorAll("[data-theme-buttons] button")) {
      button.setAttribute("aria-pressed", String(button.value === submitter.value));
    }
    fetch(submitter.formAction, { method: "POST", body: new FormData(form, submitter), redirect: "manual" })
      .then((response) => { if (response.type !== "opaqueredirect" && !response.ok) throw new Error("refused"); })
      .catch(() => show(words.failed));
  };

  // After a reload, the lightbox is closed. Leave its entry of the history, so that Back does not do nothing.
  const lightbox = document.getElementById("lightbox");
  if (history.state?.lightbox) history.back();

  document.addEventListener("click", (event) => {
    const { target } = event;
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(target)) menu.open = false;
    }

    const peek = target.closest("[data-toggle-password]");
    if (peek) {
      const field = document.getElementById(peek.dataset.togglePassword);
      const shown = field.type === "password";
      field.type = shown ? "text" : "password";
      peek.querySelector("[data-toggle-password-label]").textContent = shown ? words.hide : words.show;
      return;
    }

    const copy = target.closest("[data-copy]");
    if (copy) {
      const address = new URL(copy.dataset.copy, location.href).href;
      Promise.resolve(navigator.clipboard?.writeText(address) ?? Promise.reject(new Error("no clipboard")))
        .then(() => show(words.copied), () => show(address));
      copy.closest("details")?.removeAttribute("open");
      return;
    }

    // Pictures open in the lightbox, which is loaded with the first picture.
    const picture = target.closest(".media a");
    if (picture && lightbox && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      import(lightbox.dataset.script).then(({ open }) => open(picture), () => location.assign(picture.href));
      return;
    }

    // Buttons of posts and the links to their menus are replaced by the response.
    const control = target.closest("button.action[form=act], a.post-menu");
    if (control && window.htmx && !event.ctrlKey && !event.metaKey && event.button === 0) {
      event.preventDefault();
      const [verb, url] = control.href ? ["GET", control.href] : ["POST", control.formAction];
      htmx.ajax(verb, url, { source: control, target: control, swap: "outerHTML" });
      return;
    }

    // A click on a post opens it, unless the click hit a control or selected text.
    const post = target.closest(".post[data-post], .post[data-href]");
    if (!post || target.closest("a, button, summary, label, [data-menu], input, textarea, video, audio")) return;
    if (event.defaultPrevented || event.button !== 0 || String(getSelection())) return;
    const href = post.dataset.href ?? post.querySelector(".post-time").href;
    if (event.ctrlKey || event.metaKey) open(href, "_blank", "noopener");
    else location.assign(href);
  });

  // Post views: count posts that stay on screen for a second. Send them in batches, and when the page is left.
  const views = words.views && new Map();
  const pages = new WeakMap();
  if (views) {
    let timer;
    let waiting = [];
    const send = () => {
      clearTimeout(timer);
      timer = undefined;
      for (const hasToken of [true, false]) {
        const part = waiting.filter(({ page }) => Boolean(page) === hasToken);
        if (!part.length) continue;
        const body = new URLSearchParams({ posts: [...new Set(part.map(({ id }) => id))].join() });
        for (const page of hasToken ? new Set(part.map(({ page }) => page)) : []) body.append("page", page);
        // The token of a page names the viewer. Without cookies the server does not look up the session.
        fetch(words.views, { method: "POST", body, keepalive: true, credentials: hasToken ? "omit" : "same-origin" })
          .catch(() => { /* offline: these views are not counted */ });
      }
      waiting = [];
    };
    const seen = (post) => {
      observer.unobserve(post);
      waiting.push({ page: pages.get(post), id: post.querySelector(".post-time").pathname.split("/")[2] });
      if (waiting.length < 40) timer ??= setTimeout(send, 10000);
      else send();
    };
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        clearTimeout(views.get(target));
        if (isIntersecting) views.set(target, setTimeout(seen, 1000, target));
      }
    }, { threshold: .5 });
    const observe = () => {
      // The token of a page, or of a later part of it, follows the posts that it names.
      let token;
      for (const item of [...document.querySelectorAll("[data-shown], .post[data-post]")].reverse()) {
        if (item.dataset.shown) {
          token = item;
          continue;
        }
        if (views.has(item)) continue;
        views.set(item, 0);
        if (token?.parentElement.contains(item)) pages.set(item, token.dataset.shown);
        observer.observe(item);
      }
    };
    observe();
    document.addEventListener("htmx:afterSettle", observe);
    addEventListener("pagehide", send);
    document.addEventListener("visibilitychange", () => { if (document.hidden) send(); });
  }

  addEventListener("offline", () => show(words.offline, { stay: true }));
  addEventListener("online", () => show(words.online));

  // The browser keeps the sidebar for a minute. After a change it asks for another URL.
  const CHANGED = "changed-at";
  const noteChange = () => {
    try { sessionStorage.setItem(CHANGED, Date.now().toString(36)); } catch { /* forbidden: the sidebar may be old */ }
  };
  document.addEventListener("submit", ({ target }) => { if (target.method !== "get") noteChange(); });
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "get") noteChange();
    if (!detail.elt.matches("[data-after-changes]")) return;
    let changed;
    try { changed = sessionStorage.getItem(CHANGED); } catch { return; }
    if (changed) detail.parameters.after = changed;
  });

  // htmx: keep the focus, announce new content, and keep the button if a response is invalid.
  let focusWasInside = false;
  const beside = (fresh, target) => {
    const [posts, freshPosts] = [document, fresh].map((tree) => tree.getElementById("profile-posts"));
    if (!posts || !freshPosts) return;
    if (posts.dataset.postsVisible !== freshPosts.dataset.postsVisible) { location.reload(); return; }
    const ids = ["profile-counts", "profile-menu", "profile-subscription"];
    if (posts.dataset.postsVisible === "no") ids.push(posts.id);
    for (const id of ids) {
      const [old, now] = [document, fresh].map((tree) => tree.getElementById(id));
      if (!old || !now || old.contains(target)) continue;
      old.replaceWith(now);
      htmx.process(now);
    }
  };
  // A published reply moves to the end of its thread, as after a reload, and the numbers of comments change. In lists
  // of comments on several posts it stays below the comment.
  const placeReply = (reply) => {
    const list = document.getElementById("comments");
    if (!list) return;
    const { thread, count, countText } = reply.dataset;
    const title = document.getElementById("comments-title");
    if (title) title.textContent = countText;
    const number = list.querySelector("[data-post] a.action .count");
    if (number) number.textContent = count;
    const root = "oneThread" in list.dataset ? null : document.getElementById(`comment-${thread}`).parentElement;
    let replies = root ? root.querySelector(".replies") : list;
    if (!replies) {
      replies = document.createElement("ol");
      replies.className = "posts replies";
      root.append(replies);
    }
    const item = document.createElement("li");
    item.append(reply);
    replies.append(item);
    const hint = list.previousElementSibling;
    if (hint?.matches(".page-intro")) hint.remove(); // "No replies yet."
  };
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr, requestConfig } = event.detail;
    focusWasInside = target.contains(document.activeElement);
    if (target.matches("[data-replies]")) {
      // The response is the form with its errors.
      if ([422, 429].includes(xhr.status)) { event.detail.shouldSwap = true; event.detail.isError = false; }
      return;
    }
    // Log-in pages are whole documents: the session has ended.
    if (target.matches(".action, .post-menu") && xhr.responseText.trimStart().startsWith("<!DOCTYPE")) {
      event.detail.shouldSwap = false;
      location.reload();
      return;
    }
    const wanted = requestConfig?.elt?.closest("[hx-select]")?.getAttribute("hx-select");
    if (!wanted || xhr.status >= 400) return;
    const fresh = new DOMParser().parseFromString(xhr.responseText, "text/html");
    const isThere = fresh.querySelector(wanted);
    if (isThere) {
      // A later part of the page has the replies that `placeReply` put at its end.
      for (const reply of document.querySelectorAll("#comments > li > [data-published-draft]")) {
        if (fresh.getElementById(reply.firstElementChild.id)) reply.parentElement.remove();
      }
      beside(fresh, target);
      return;
    }
    event.detail.shouldSwap = false;
    location.reload();
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    const { elt, requestConfig } = event.detail;
    if (elt.matches?.(".action, .post-menu") && focusWasInside) (elt.querySelector("summary") ?? elt).focus({ preventScroll: true });
    const replies = event.detail.target?.matches?.("[data-replies]") ? event.detail.target : null;
    if (replies) {
      const area = replies.querySelector("textarea[data-limit]");
      if (area) { count(area); grow(area); recall(area); area.focus(); }
      const published = replies.querySelector("[data-published-draft]");
      if (published) {
        forget(published);
        placeReply(published);
        announce(words.replied);
        published.querySelector("a:not([tabindex])")?.focus();
      }
      return;
    }
    if (!requestConfig?.elt?.closest(".older-posts")) return;
    announce(requestConfig.elt.dataset.loaded ?? words.loaded);
    // This event fires for each new element. The first one gets the focus.
    const next = focusWasInside && elt.querySelector?.("a:not([tabindex])");
    if (!next) return;
    focusWasInside = false;
    next.focus({ preventScroll: true });
  });
  // Also for posts that are off screen: the message is where the viewer is.
  document.addEventListener("site:message", (event) => show(event.detail.value));
  const failed = (event) => {
    const { xhr, elt } = event.detail;
    if (elt?.matches("[data-silent]")) return;
    if (elt?.matches("[data-submit-once]")) release(elt);
    const isPlainText = xhr?.getResponseHeader?.("Content-Type")?.startsWith("text/plain");
    if (xhr?.status === 429) show(isPlainText ? xhr.responseText : words.wait);
    else show(navigator.onLine ? words.failed : words.noConnection);
  };
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(name, failed);
})();
