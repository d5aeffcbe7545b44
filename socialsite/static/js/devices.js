// The button "Notify me on this device": asks the browser for permission and sends its push address to the site.
"use strict";
(() => {
  const box = document.querySelector("[data-devices]");
  const button = box?.querySelector("[data-enable-push]");
  const isAble = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  if (!button || !isAble) return;
  const { key, worker, add, denied, failed } = box.dataset;

  const say = (text) => {
    const notice = document.getElementById("notice");
    notice.textContent = text;
    notice.hidden = false;
  };

  const idOf = async (endpoint) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  const isListed = async (subscription) => {
    const id = await idOf(subscription.endpoint);
    return [...document.querySelectorAll("[data-device]")].some((row) => row.dataset.device === id);
  };

  const known = async () => {
    const registration = await navigator.serviceWorker.getRegistration("/");
    return registration?.pushManager.getSubscription();
  };

  const subscribe = async () => {
    await navigator.serviceWorker.register(worker, { updateViaCache: "all" });
    const { pushManager } = await navigator.serviceWorker.ready;
    const options = { userVisibleOnly: true, applicationServerKey: key };
    try {
      return await pushManager.subscribe(options);
    } catch (error) {
      // The subscription belongs to an earlier key of the site.
      const old = error.name === "InvalidStateError" && await pushManager.getSubscription();
      if (!old) throw error;
      await old.unsubscribe();
      return pushManager.subscribe(options);
    }
  };

  const ask = async () => {
    if (await Notification.requestPermission() !== "granted") { say(denied); return; }
    const response = await fetch(add, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": document.querySelector("[name=csrfmiddlewaretoken]").value,
      },
      body: JSON.stringify(await subscribe()),
    });
    if (response.ok) { location.reload(); return; }
    const result = await response.json().catch(() => ({}));
    say(result.error || failed);
  };

  button.addEventListener("click", () => {
    button.disabled = true;
    ask().catch(() => say(failed)).finally(() => { button.disabled = false; });
  });
  known()
    .then((found) => found && isListed(found))
    .then((isHere) => { button.hidden = Boolean(isHere); })
    .catch(() => { button.hidden = false; });
})();
