// Service worker: shows push notifications while no page is open, and pages without a connection. Browsers keep
// old versions of it, so messages (notifications/push/client.py) must stay compatible with them.
// socialsite/web_app.py adds VERSION and FILES: the offline page and its stylesheets.
"use strict";

const OFFLINE = `offline-${VERSION}`;
const HOME = "home";
const KEY = "/settings/notifications/devices/key/";

const show = async (event) => {
  let message;
  try { message = event.data.json(); } catch { return; }
  // No push notification while a page of the site is visible.
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (pages.some((page) => page.visibilityState === "visible")) return;
  const { title, body, tag, url } = message;
  await registration.showNotification(String(title), { body, tag, data: { url } });
};

// Open only addresses of this site, whatever the message contains.
const pageOf = (notification) => {
  const home = new URL("/notifications/", location.origin);
  try {
    const url = new URL(notification.data.url, location.origin);
    return url.origin === location.origin ? url : home;
  } catch { return home; }
};

const open = async (notification) => {
  const { href } = pageOf(notification);
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = pages.find((page) => page.url === href);
  await (there ? there.focus() : clients.openWindow(href));
};

// The push service changed the address of this browser: send the new one to the site if the user is still logged in.
const renew = async (event) => {
  const response = await fetch(KEY);
  if (!response.ok) return;
  const { key, token, add } = await response.json();
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const fresh = event.newSubscription ?? await registration.pushManager.subscribe(options);
  await fetch(add, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRFToken": token },
    body: JSON.stringify(fresh),
  });
};

addEventListener("push", (event) => event.waitUntil(show(event)));
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification));
});
addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

// Pages always come from the network. The worker stores the offline page and, for the user who is logged in, the
// last home page. Both are shown only if the network fails.
const install = async () => {
  const cache = await caches.open(OFFLINE);
  await cache.addAll(FILES.map((url) => new Request(url, { cache: "reload" })));
  await skipWaiting();
};

const activate = async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => ![OFFLINE, HOME].includes(name)).map((name) => caches.delete(name)));
  // The browser requests a page while the worker starts.
  await registration.navigationPreload?.enable();
};

// Requests that the worker never handles do not start it, in browsers that support routes.
const addRoutes = (event) => {
  const conditions = [{ requestDestination: "image" }, { requestDestination: "script" }, { requestMode: "cors" }];
  return event.addRoutes?.(conditions.map((condition) => ({ condition, source: "network" }))).catch(() => {});
};

const isPrivate = (response) => response.headers.get("Cache-Control")?.includes("private");

const saveHome = async (response) => {
  if (response.ok && isPrivate(response)) await (await caches.open(HOME)).put("/", response);
  else if (response.status < 500) await caches.delete(HOME);
};

// Forms of these paths log in or out, delete the account, or change the password. Afterwards, the saved page may
// belong to another user. Sessions that end elsewhere are noticed at the next page, which has the header X-Visitor.
const MAY_END_SESSION = /^\/(accounts|admin|settings)\//;

const rewrite = (response, html) => {
  const headers = new Headers(response.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  return new Response(html, { headers });
};

const savedHome = async (saved) => {
  const html = await saved.text();
  const [, language] = /<html lang="([^"]+)"/.exec(html) ?? [];
  const time = new Date(saved.headers.get("Date"))
    .toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const shown = html.replace("data-saved-page hidden", "data-saved-page");
  return rewrite(saved, shown.replace("<time data-saved-at></time>", `<time>${time}</time>`));
};

const offlinePage = async (path) => {
  const saved = await caches.match("/", { cacheName: HOME });
  if (saved && path === "/") return savedHome(saved);
  const page = await caches.match(FILES[0]);
  if (!page) return Response.error();
  return saved ? rewrite(page, (await page.text()).replace("data-saved-home hidden", "data-saved-home")) : page;
};

const openPage = async (event, { pathname, search }) => {
  let response;
  try {
    response = (await event.preloadResponse) ?? await fetch(event.request);
  } catch { return offlinePage(pathname); }
  if (response.headers.has("X-Visitor")) event.waitUntil(caches.delete(HOME));
  else if (pathname === "/" && !search) event.waitUntil(saveHome(response.clone()).catch(() => {}));
  return response;
};

addEventListener("install", (event) => {
  addRoutes(event);
  event.waitUntil(install());
});
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.mode === "navigate" && request.method === "GET") event.respondWith(openPage(event, url));
  else if (request.mode === "navigate" && MAY_END_SESSION.test(url.pathname)) event.waitUntil(caches.delete(HOME));
  else if (FILES.includes(url.pathname)) event.respondWith(fetch(request).catch(() => caches.match(request)));
});
