// Service worker: shows push notifications while no page is open. Browsers keep old versions of it, so
// messages (notifications/push/messages.py) must stay compatible with them.
"use strict";

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
