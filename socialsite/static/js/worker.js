// What shows notifications while no page is open. It lives on in browsers: what it is sent
// (notifications/push/messages.py) must stay readable for older ones of it.
"use strict";

const KEY = "/settings/notifications/devices/key/";

const show = async (event) => {
  let told;
  try { told = event.data.json(); } catch { return; }
  // Who is looking at the site sees it there.
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  if (pages.some((page) => page.visibilityState === "visible")) return;
  const { title, body, tag, url } = told;
  await registration.showNotification(String(title), { body, tag, data: { url } });
};

// Only of this site, whatever was sent.
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

// The push service gives the browser another address: the site is told, if somebody is still logged in.
const renew = async (event) => {
  const answer = await fetch(KEY);
  if (!answer.ok) return;
  const { key, token, add } = await answer.json();
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
