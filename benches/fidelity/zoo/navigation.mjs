// @ts-check
import { answer, arrived, html, late, scripted, show } from "./page.mjs";

/** Port 1 of the page's own host, where nobody listens. */
const nobody = `location.protocol + "//" + location.hostname + ":1/"`;

/** Pages that navigate elsewhere. @type {import("./page.mjs").ZooPage[]} */
export const navigation = [
  {
    name: "a script leads on",
    answers: { "/": scripted(`location.href = "next"`), "/next": arrived },
    has: ["Arrived"],
    lacks: ["Before"],
  },
  {
    name: "a script leads on three times",
    answers: {
      "/": scripted(`location.href = "a"`),
      "/a": scripted(`location.replace("b")`),
      "/b": scripted(`location.assign("c")`),
      "/c": arrived,
    },
    has: ["Arrived"],
  },
  {
    name: "a refresh leads on",
    answers: { "/": html("Before", `<meta http-equiv="refresh" content="0;url=next">`), "/next": arrived },
    has: ["Arrived"],
    also: ["http"],
  },
  {
    name: "a refresh leads on after a second",
    answers: { "/": html("Before", `<meta http-equiv="refresh" content="1; url='next'">`), "/next": arrived },
    has: ["Arrived"],
    also: ["http"],
  },
  {
    name: "a Refresh header leads on",
    answers: { "/": answer(200, { refresh: "0;url=next" }, html("Before")), "/next": arrived },
    has: ["Arrived"],
    also: ["http"],
  },
  {
    name: "a refresh after five minutes",
    answers: { "/": html("<p>News</p>", `<meta http-equiv="refresh" content="300">`) },
    has: ["News"],
    also: ["http"],
  },
  {
    name: "a refresh without scripts only",
    answers: {
      "/": html("<p>With scripts</p>", `<noscript><meta http-equiv="refresh" content="0;url=plain"></noscript>`),
      "/plain": html("Plain"),
    },
    has: ["With scripts"],
    also: ["http"],
  },
  {
    name: "a server's redirect, then a script's",
    answers: { "/": answer(302, { location: "/a" }), "/a": scripted(`location.href = "/b"`), "/b": arrived },
    has: ["Arrived"],
  },
  {
    name: "a form that sends itself",
    answers: {
      "/": scripted(
        `document.forms[0].submit()`,
        `<form method="post" action="next"><input name="a" value="1"></form>`,
      ),
      "/next": (request, response) =>
        response.writeHead(200, { "content-type": "text/html" }).end(html(`<h1>${request.method}</h1>`)),
    },
    has: ["<h1>POST</h1>"],
  },
  {
    name: "a search that sends itself",
    answers: {
      "/": scripted(`document.forms[0].submit()`, `<form action="next"><input name="q" value="1"></form>`),
      "/next?q=1": arrived,
    },
    has: ["Arrived"],
  },
  {
    name: "an address of its own making",
    answers: { "/": scripted(`history.pushState(null, "", "/room/1"); ${show}`) },
    has: ["Shown"],
  },
  {
    name: "a script leads to a slow page",
    answers: { "/": scripted(`location.href = "next"`), "/next": late(2_500, arrived) },
    has: ["Arrived"],
  },
  {
    name: "a script leads on after a second",
    answers: { "/": scripted(`setTimeout(() => location.href = "next", 1000)`), "/next": arrived },
    has: ["Arrived"],
  },
  {
    name: "a script leads to nobody",
    answers: { "/": scripted(`location.href = ${nobody}`) },
    fails: "navigation_failed",
  },
  {
    name: "a refresh leads to nobody",
    answers: {
      "/": scripted(
        `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv="refresh" content="0;url=' + ${nobody} + '">')`,
      ),
    },
    fails: "navigation_failed",
  },
  {
    name: "a script leads to an address that is refused",
    answers: { "/": scripted(`location.href = "http://169.254.169.254/latest/"`) },
    fails: "navigation_failed",
    words: /refused|not allowed|private/i,
  },
  {
    name: "a script leads to a page that is gone",
    answers: { "/": scripted(`location.href = "gone"`), "/gone": answer(404, {}, html("Gone")) },
    fails: "http_status",
  },
  {
    name: "a script leads to a page that never answers",
    answers: { "/": scripted(`location.href = "next"`), "/next": () => undefined },
    fails: "navigation_failed",
    words: /still redirecting/,
  },
  { name: "a page that loads itself", answers: { "/": scripted(`location.reload()`) }, fails: "reload_loop" },
  {
    name: "a page that loads itself every tenth of a second",
    answers: { "/": scripted(`setTimeout(() => location.reload(), 100)`) },
    fails: "reload_loop",
  },
  {
    name: "a page that refreshes itself at once",
    answers: { "/": html("<p>Loop</p>", `<meta http-equiv="refresh" content="0">`) },
    fails: "reload_loop",
    also: ["http"],
  },
  {
    name: "two pages that lead to one another",
    answers: { "/": scripted(`location.href = "b"`), "/b": scripted(`location.href = "/"`) },
    fails: "reload_loop",
  },
  {
    name: "pages that lead on for ever",
    answers: { "/": scripted(`location.href = "?" + (Number(location.search.slice(1)) + 1)`) },
    fails: "navigation_failed",
    words: /never stopped/,
  },
  {
    name: "a page that makes way for nothing",
    answers: { "/": scripted(`location.replace("about:blank")`) },
    fails: "navigation_failed",
    words: /about:blank/,
  },
  {
    name: "a page that shows what it made up",
    answers: {
      "/": scripted(`location.href = URL.createObjectURL(new Blob(["<h1>Made up</h1>"], { type: "text/html" }))`),
    },
    fails: "navigation_failed",
  },
  {
    name: "a page that starts a download",
    answers: {
      "/": scripted(`location.href = "file"`, "<h1>Thank you</h1>"),
      "/file": answer(200, { "content-type": "application/zip", "content-disposition": "attachment" }, "PK"),
    },
    has: ["Thank you"],
  },
  {
    name: "a page that leads to no content",
    answers: { "/": scripted(`location.href = "nothing"`, "<h1>Stays</h1>"), "/nothing": answer(204, {}) },
    has: ["Stays"],
  },
  {
    name: "a page that opens a window",
    answers: { "/": scripted(`open("next"); ${show}`), "/next": arrived },
    has: ["Shown"],
    lacks: ["Arrived"],
  },
  { name: "an empty answer", answers: { "/": answer(200, {}) }, fails: "empty_document", also: ["http"] },
  { name: "an answer of blanks", answers: { "/": "\uFEFF \n\n " }, fails: "empty_document", also: ["http"] },
  {
    name: "an application that draws nothing",
    answers: { "/": scripted(`throw new Error("no")`, `<div id="root"></div>`) },
    fails: "empty_document",
  },
  {
    name: "a page that wipes itself",
    answers: { "/": scripted(`document.documentElement.remove()`) },
    fails: "empty_document",
  },
  {
    name: "a page that is an error",
    answers: { "/": answer(500, {}, html("Sorry")) },
    fails: "http_status_retryable",
    also: ["http"],
  },
];
