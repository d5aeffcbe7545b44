// Say when the browser goes offline and comes back.
import { show } from "./notices.js";
import { words } from "./texts.js";

addEventListener("offline", () => show(words.offline, { stay: true }));
addEventListener("online", () => show(words.online));
