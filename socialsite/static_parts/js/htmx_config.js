// htmx reads its configuration when the document is complete, so after this script.
Object.assign(window.htmx?.config ?? {}, {
  includeIndicatorStyles: false, allowEval: false, allowScriptTags: false, historyEnabled: false,
  selfRequestsOnly: true, scrollIntoViewOnBoost: false, timeout: 15000,
});
