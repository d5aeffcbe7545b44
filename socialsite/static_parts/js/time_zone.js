// The server shows times in the time zone of this cookie. Only the very first page is in UTC.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.split("; ").includes(`time_zone=${zone}`)) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `time_zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
}
