// @ts-check
import { html, scripted, show } from "./page.mjs";

/** Pages that depend on their visitor. @type {import("./page.mjs").ZooPage[]} */
export const visitor = [
  {
    name: "a cookie, then the page",
    answers: {
      "/": scripted(`if (!document.cookie) { document.cookie = "seen=1"; location.reload(); } else { ${show} }`),
    },
    has: ["Shown"],
  },
  {
    name: "a server that wants its cookie back",
    answers: {
      "/": (request, response) =>
        void (request.headers.cookie?.includes("gate=1")
          ? response.writeHead(200, { "content-type": "text/html" }).end(html("<h1>Through</h1>"))
          : response.writeHead(302, { "set-cookie": "gate=1; Path=/", location: "/" }).end()),
    },
    has: ["Through"],
  },
  {
    name: "a flag in storage, then the page",
    answers: {
      "/": scripted(`if (!localStorage.seen) { localStorage.seen = 1; location.href = "/"; } else { ${show} }`),
    },
    has: ["Shown"],
  },
  { name: "an alert", answers: { "/": scripted(`alert("Hello"); ${show}`) }, has: ["Shown"] },
  {
    name: "a question",
    answers: {
      "/": scripted(
        `const yes = confirm("Over 18?"); document.body.insertAdjacentHTML("beforeend", "<h2>" + yes + "</h2>")`,
      ),
    },
    has: ["<h2>"],
  },
  {
    name: "a page that does not let go",
    answers: { "/": scripted(`addEventListener("beforeunload", (event) => event.preventDefault()); ${show}`) },
    has: ["Shown"],
  },
  { name: "a page that prints itself", answers: { "/": scripted(`print(); ${show}`) }, has: ["Shown"] },
  {
    name: "a service worker",
    answers: {
      "/": scripted(`navigator.serviceWorker?.register("worker.js").catch(() => 0); ${show}`),
      "/worker.js": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/javascript" })
          .end(`addEventListener("fetch", (event) => event.respondWith(new Response("from the worker")))`),
    },
    has: ["Shown"],
  },
  {
    name: "the window's size",
    answers: {
      "/": scripted(
        `document.querySelector("h1").textContent = innerWidth + " × " + innerHeight + " × " + devicePixelRatio`,
      ),
    },
    has: ["1280 × 900 × 1"],
  },
  {
    name: "light or dark",
    answers: {
      "/": scripted(`document.querySelector("h1").textContent = matchMedia("(prefers-color-scheme: light)").matches`),
    },
    has: ["<h1>true</h1>"],
  },
  {
    name: "language and time zone",
    answers: {
      "/": scripted(
        `document.querySelector("h1").textContent = navigator.language + " " + Intl.DateTimeFormat().resolvedOptions().timeZone`,
      ),
    },
    has: ["en-US UTC"],
  },
  {
    name: "a page that redefines the language",
    answers: {
      "/": scripted(
        `JSON.stringify = () => "no"; Map.prototype.get = () => null; document.querySelector = () => null; Element.prototype.getHTML = () => "no"; setTimeout = undefined; performance.now = () => 0; ${show}`,
      ),
    },
    has: ["Shown"],
  },
  {
    name: "a page that asks where one is",
    answers: { "/": scripted(`navigator.geolocation.getCurrentPosition(() => 0, () => { ${show} })`) },
    has: ["Shown"],
  },
  {
    name: "a timer's source",
    answers: {
      "/": scripted(
        `document.querySelector("h1").textContent = /native code/.test(setTimeout.toString()) && setTimeout.name === "setTimeout"`,
      ),
    },
    has: ["<h1>true</h1>"],
  },
];
