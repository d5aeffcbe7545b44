// Live updates of an open page: the numbers of unread notifications and messages, and the hint at new posts. One
// tab of a browser has the stream and informs the others. Without a stream it polls every minute, and tries to open one
// again after growing pauses. An empty `data-live` means that the site has no streams.
"use strict";
(() => {
  const { live, poll } = document.currentScript.dataset;
  const POLL_MS = 60_000;
  const RETRY_MS = 5_000;
  const MAX_DOUBLINGS = 6;
  const RESUME_MS = 3_000;
  const NAME = "live";
  const posts = document.querySelector("[data-new-posts]");
  const notifications = document.querySelector("[data-new-notifications]");
  const announcer = document.getElementById("announcer");
  const badge = document.querySelector("[data-unread]");
  let tabs = null;
  const title = document.title;
  const plurals = new Intl.PluralRules(document.documentElement.lang);
  let unread = Number.parseInt(badge?.textContent, 10) || 0;
  let read = unread;
  let last = "";
  let source = null;
  let timer = null;
  let resumeTimer;
  let retryTimer;
  let retries = 0;
  let release = null;
  let waiting = null;
  let isOver = false;

  const announce = (text) => {
    if (!announcer || !text) return;
    announcer.textContent = "";
    requestAnimationFrame(() => { announcer.textContent = text; });
  };

  const showLink = (box, text) => {
    const link = box.querySelector("a");
    if (link.textContent === text && !box.hidden) return;
    link.textContent = text;
    box.hidden = false;
  };

  const showUnread = ({ count, text }) => {
    for (const element of document.querySelectorAll("[data-unread]")) {
      element.textContent = count > 99 ? "99+" : String(count || "");
      element.hidden = !count;
    }
    for (const element of document.querySelectorAll("[data-unread-text]")) element.textContent = text;
    document.title = count ? `(${count}) ${title}` : title;
    if (count > unread) announce(text);
    unread = count;
    read = Math.min(read, count);
    if (!notifications) return;
    const fresh = count - read;
    const texts = JSON.parse(notifications.dataset.texts);
    if (fresh > 0) showLink(notifications, texts[plurals.select(fresh)].replace("%s", String(fresh)));
    else notifications.hidden = true;
  };

  const showMessages = ({ count, text }) => {
    for (const element of document.querySelectorAll("[data-messages], [data-messages-text]")) {
      element.textContent = "messages" in element.dataset ? String(count || "") : text;
      element.hidden = !count;
    }
  };

  const showPosts = (update) => {
    if (!posts) return;
    if (!update) { ask(); return; } // the tab with the stream does not know which posts this tab shows
    if (!update.count) return;
    const isNews = posts.hidden || posts.textContent.trim() !== update.text;
    showLink(posts, update.text);
    if (isNews) announce(update.text);
  };

  const show = { unread: showUnread, messages: showMessages, posts: showPosts };

  // Other tabs cannot use this post count: each tab shows a different newest post.
  const broadcast = (name, data) => {
    show[name](data);
    tabs?.postMessage({ name, data: name === "posts" ? null : data });
  };
  const connect = () => {
    if (!("BroadcastChannel" in window)) return;
    tabs = new BroadcastChannel(NAME);
    tabs.onmessage = ({ data }) => show[data.name]?.(data.data);
  };

  const query = () => {
    const wanted = new URLSearchParams();
    if (posts) wanted.set("top", posts.dataset.newPosts || "0");
    if (last) wanted.set("since", last);
    return `?${wanted}`;
  };

  // The tab that polls does so for all tabs.
  function ask({ forAll = false, isShownAgain = false } = {}) {
    fetch(poll + query())
      .then((response) => {
        if (response.status === 403) {
          stop();
          if (isShownAgain) location.reload(); // the session ended while the browser kept the page
        }
        return response.ok ? response.json() : null;
      })
      .then((update) => {
        if (!update) return;
        last = update.id;
        showUnread(update.unread);
        showMessages(update.messages);
        if (update.posts) showPosts(update.posts);
        if (!forAll) return;
        tabs?.postMessage({ name: "unread", data: update.unread });
        tabs?.postMessage({ name: "messages", data: update.messages });
        tabs?.postMessage({ name: "posts", data: null });
      })
      .catch(() => { /* offline: the next poll retries */ });
  }

  const stopPolling = () => {
    clearInterval(timer);
    timer = null;
  };

  const pollInstead = () => {
    source?.close();
    source = null;
    if (isOver) stopPolling();
    else timer ??= setInterval(() => ask({ forAll: true }), POLL_MS);
  };

  // The server has no room, restarts or cannot be reached. The random part keeps browsers from returning all at once.
  const retryLater = () => {
    pollInstead();
    if (!retries) ask();
    retryTimer = setTimeout(open, RETRY_MS * 2 ** Math.min(retries, MAX_DOUBLINGS) * (1 + Math.random()));
    retries += 1;
  };

  const stop = () => {
    isOver = true;
    clearTimeout(retryTimer);
    pollInstead();
    release?.();
  };

  function open() {
    clearTimeout(retryTimer);
    if (source || isOver) return;
    if (!live || !("EventSource" in window)) { ask(); pollInstead(); return; }
    source = new EventSource(live + query(), { withCredentials: true }); // the address may have another port
    source.addEventListener("open", () => {
      stopPolling();
      retries = 0;
    });
    for (const name of Object.keys(show)) {
      source.addEventListener(name, (event) => {
        last = event.lastEventId;
        broadcast(name, JSON.parse(event.data));
      });
    }
    source.addEventListener("full", pollInstead);
    source.addEventListener("error", () => {
      if (source?.readyState !== EventSource.CLOSED) return; // the browser reconnects by itself
      retryLater();
    });
  }

  const begin = () => {
    clearTimeout(resumeTimer);
    if (isOver) return; // otherwise this tab could take the lock from tabs with a later session
    if (!tabs) connect();
    if (!navigator.locks) { open(); return; }
    if (waiting) return;
    const { signal } = waiting = new AbortController();
    const lead = () => new Promise((done) => {
      if (signal.aborted) { done(); return; }
      release = done;
      open();
    });
    navigator.locks.request(NAME, { signal }, lead).catch(() => { if (!signal.aborted) open(); });
  };

  // A page with a connection, a lock or a channel would not stay in the back/forward cache.
  const end = () => {
    tabs?.close();
    tabs = null;
    source?.close();
    source = null;
    stopPolling();
    clearTimeout(resumeTimer);
    clearTimeout(retryTimer);
    waiting?.abort();
    waiting = null;
    release?.();
    release = null;
  };

  // When a link is clicked, Firefox has already decided whether to keep the page, so the stream ends when the button
  // goes down. If the page stays, for example because the link is a download, the updates resume.
  const leave = ({ target, button, ctrlKey, metaKey, shiftKey }) => {
    if (button || ctrlKey || metaKey || shiftKey || !target.closest("a[href]:not([target])")) return;
    end();
    resumeTimer = setTimeout(begin, RESUME_MS);
  };

  connect();
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin);
  addEventListener("mousedown", leave);
  addEventListener("pagehide", end);
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    isOver = document.body.hidden; // after a log-out site.js hides the page and reloads it
    if (isOver) { end(); return; }
    begin();
    ask({ isShownAgain: true });
  });
  document.addEventListener("visibilitychange", () => {
    const isHidden = document.visibilityState === "hidden";
    if (!navigator.locks) { if (isHidden) end(); else begin(); return; }
    if (isHidden || source || !release) return;
    ask();
    open();
  });
})();
