/**
 * The index of the search is as large as all pages of a language together. Material asks for it with the first page; here that request waits
 * until a reader turns to the search: points at it, enters it, or came with a query in the address. This file runs before Material's own.
 *
 * Should Material ask in another way one day, the index is fetched at once again, and nothing else changes.
 */
(() => {
  "use strict";

  const { open, send } = XMLHttpRequest.prototype;
  const held = [];
  let wanted = new URLSearchParams(location.search).has("q");

  XMLHttpRequest.prototype.open = function openOrMark(method, url, ...rest) {
    this.lmHeld = !wanted && String(url).endsWith("/search/search_index.json");
    return open.call(this, method, url, ...rest);
  };
  XMLHttpRequest.prototype.send = function sendOrHold(...body) {
    if (!this.lmHeld || wanted) return send.apply(this, body);
    held.push(() => send.apply(this, body));
    return undefined;
  };

  function want(event) {
    if (wanted || !(event.target instanceof Element) || !event.target.closest(".md-search, [for='__search']")) return;
    wanted = true;
    for (const go of held.splice(0)) go();
  }
  for (const type of ["focusin", "pointerover", "touchstart"]) document.addEventListener(type, want, { passive: true });
})();
