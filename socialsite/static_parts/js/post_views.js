// Post views: count posts that stay on screen for a second. Send them in batches, and when the page is left.
import { words } from "./texts.js";

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
