/**
 * The life of a page. Material may swap the article in place (instant navigation) without running scripts again, so everything that looks at
 * the article registers here and is called once for each page shown.
 *
 * Also here, because it belongs to the page and not to a part of it: the language links. And the script for tables of data is fetched from here,
 * when a page first has one.
 */
(() => {
  "use strict";

  const tables = new URL("tables.js", document.currentScript.src);
  const visitors = [];
  let shown = false;

  function visit() {
    shown = true;
    for (const visitor of visitors) visitor(document.querySelector(".lm-page"));
  }

  window.ledgermark = {
    /** Calls `visitor(page)` for the page in view, now or when it is ready, and for each page after it. `page` may be null. */
    onPage(visitor) {
      visitors.push(visitor);
      if (shown) visitor(document.querySelector(".lm-page"));
    },
  };

  if (window.document$) {
    window.document$.subscribe(visit);
  } else if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", visit, { once: true });
  } else {
    visit();
  }

  /** Returns the id of the section being read, or "" at the top of the page. */
  function sectionInView() {
    let id = "";
    for (const heading of document.querySelectorAll(".lm-page > :is(h2, h3)[id]")) {
      if (heading.getBoundingClientRect().top > window.innerHeight / 3) break;
      id = heading.id;
    }
    return id;
  }

  /** Points the language links at the page now shown. The header outlives an instant navigation, the <link> elements in the head do not. */
  function retarget() {
    const anchor = window.location.hash || (sectionInView() && `#${sectionInView()}`);
    for (const link of document.querySelectorAll("a.lm-languages__link")) {
      const alternate = document.head.querySelector(`link[hreflang="${CSS.escape(link.hreflang)}"]`);
      if (alternate) link.href = alternate.href.split("#")[0] + anchor;
    }
  }

  /** Marks the header link of the page now shown, for the same reason. */
  function markCurrent() {
    for (const link of document.querySelectorAll(".lm-header__pages a")) {
      if (link.pathname === window.location.pathname) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  function nearLanguages(event) {
    if (event.target instanceof Element && event.target.closest(".lm-languages")) retarget();
  }

  for (const type of ["pointerover", "pointerdown", "focusin"]) document.addEventListener(type, nearLanguages, true);
  window.addEventListener("hashchange", retarget);
  let fetched = false;
  window.ledgermark.onPage((page) => {
    if (fetched || !page?.querySelector(".lm-data[data-src]")) return;
    fetched = true;
    const script = document.createElement("script");
    script.src = tables.href;
    document.head.append(script);
  });
  window.ledgermark.onPage(() => {
    retarget();
    markCurrent();
    // Material's search box is a dialog without a name; it has the words for one.
    const search = document.querySelector(".md-search[role=dialog]:not([aria-label])");
    const name = document.querySelector(".md-search__input")?.getAttribute("aria-label");
    if (search && name) search.setAttribute("aria-label", name);
  });
})();
