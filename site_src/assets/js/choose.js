/* The root of the site: go on to the language the reader has chosen before, or the first one the browser prefers that exists. */
(function () {
  "use strict";
  var page = document.querySelector("[data-choose]");
  if (!page) {
    return;
  }
  var known = page.dataset.choose.trim().split(/\s+/);
  var preferred = (navigator.languages || [navigator.language || ""]).map(function (tag) {
    return tag.toLowerCase().split("-")[0];
  });
  var language = preferred.find(function (tag) {
    return known.includes(tag);
  });
  var link = page.querySelector('a[hreflang="' + (language || known[0]) + '"]');
  if (link) {
    window.location.replace(link.href);
  }
})();
