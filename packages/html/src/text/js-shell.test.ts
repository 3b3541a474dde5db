import { describe, expect, test } from "@jest/globals";
import { isJsShell } from "./js-shell.js";

const script = '<script type="module" src="/assets/index-4f1.js"></script>';
const page = (body: string, head = ""): string =>
  `<!DOCTYPE html><html><head><title>A product of ours</title>${head}</head><body>${body}</body></html>`;
const prose = `<p>${"A sentence that a reader came for. ".repeat(10)}</p>`;

describe("a shell", () => {
  test.each([
    ["of Vite and React", page('<div id="root"></div>', script)],
    [
      "of Create React App",
      page(
        `<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src=/static/js/main.js></script>`,
      ),
    ],
    [
      "of Vue",
      page(
        `<noscript><strong>We're sorry but app doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id=app></div><script src=/js/app.js></script>`,
      ),
    ],
    ["of Angular", page("<app-root></app-root><script src=main.js></script>")],
    ["of AngularJS", page('<div ng-app="shop"><div ng-view></div></div><script src=a.js></script>')],
    [
      "of Next without server",
      page(
        '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{}</script><script src=/_next/a.js></script>',
      ),
    ],
    ["of Nuxt", page('<div id="__nuxt"><div class=spinner></div></div><script>window.__NUXT__={}</script>')],
    ["with a waiting text", page(`<div id="app"><img src=logo.png>Loading, please wait…</div>${script}`)],
    ["with nothing but a script", page("<script>document.write(unescape('%3C'))</script>")],
    ["with a German noscript", page(`<noscript>Bitte JavaScript aktivieren.</noscript><div class=x></div>${script}`)],
    [
      "with a skip link and a footer link",
      page(`<a href="#main">Skip</a><div id="root"></div><a href=/imprint>Imprint</a>${script}`),
    ],
  ])("%s", (_, html) => {
    expect(isJsShell(html)).toBe(true);
  });
});

describe("no shell", () => {
  test.each([
    ["a page with text", page(`${prose}${script}`)],
    ["a page rendered at the server into an app root", page(`<div id="root"><h1>News</h1>${prose}</div>${script}`)],
    ["a short page without scripts", page("<p>Moved.</p>")],
    ["an app root without scripts", page('<div id="root"></div>')],
    ["a short page with a script", page(`<h1>It works!</h1><p>This is the default page.</p>${script}`)],
    ["a page of links", page(`<div id=app>${"<a href=/x>x</a>".repeat(5)}</div>${script}`)],
    ["a page of pictures", page(`<img src=a.png>${script}`)],
    ["a form to sign in", page(`<form><input name=user><input name=password></form>${script}`)],
    ["a redirect", page("<script>x()</script>", "<meta http-equiv=refresh content='0;url=/home'>")],
    ["a frameset", "<frameset><frame src=/a></frameset><script>x</script>"],
    ["data that is no script", page('<div id=app></div><script type="application/ld+json">{}</script>')],
    ["nothing", ""],
    ["text with a polite noscript", page(`${prose}<noscript>Enable JavaScript for comments.</noscript>${script}`)],
  ])("%s", (_, html) => {
    expect(isJsShell(html)).toBe(false);
  });
});

test.each([
  ["nested app roots", "<div id=root>".repeat(100_000)],
  ["noscripts", `<noscript>${"enable ".repeat(100)}`.repeat(2_000)],
  ["scripts", "<script></script>".repeat(60_000)],
  ["words without end", `<noscript>enable ${"a".repeat(1_000_000)}`],
])("survives %s", (_, html) => {
  expect(typeof isJsShell(`<script>x</script>${html}`)).toBe("boolean");
});
