// Translated texts, from _script_texts.html.
export const words = document.getElementById("announcer")?.dataset ?? {};
