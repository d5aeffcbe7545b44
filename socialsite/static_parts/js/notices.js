// Short messages at the bottom of the page.
const notice = document.getElementById("notice");
let noticeTimer;

export const show = (text, { stay = false } = {}) => {
  if (!notice || !text) return;
  clearTimeout(noticeTimer);
  notice.textContent = text;
  notice.hidden = false;
  if (!stay) noticeTimer = setTimeout(() => { notice.hidden = true; }, 6000);
};

// Messages of the server and of other scripts. They are visible also if the post that they are about is off screen.
document.addEventListener("site:message", (event) => show(event.detail.value));
