// @ts-check
import { answer, html, late, scripted, show } from "./page.mjs";

/** @param {string} type @param {string} text @param {Record<string, string>} [headers] */
const as = (type, text, headers = {}) => answer(200, { "content-type": type, ...headers }, text);
const both = /** @type {("http")[]} */ (["http"]);

/** Documents that are no ordinary page, or no page at all, and addresses that scripts make up. @type {import("./page.mjs").ZooPage[]} */
export const documents = [
  { name: "a plain text", answers: { "/": as("text/plain", "Just words") }, fails: "not-html", also: both },
  { name: "an XML file", answers: { "/": as("application/xml", "<feed/>") }, fails: "not-html", also: both },
  { name: "a JSON answer", answers: { "/": as("application/json", '{"a": 1}') }, fails: "not-html", also: both },
  { name: "a PDF", answers: { "/": as("application/pdf", "%PDF-1.4 some bytes") }, fails: "not-html", also: both },
  { name: "a picture", answers: { "/": as("image/svg+xml", "<svg/>") }, fails: "not-html", also: both },
  {
    name: "a page that is to be saved",
    answers: { "/": as("text/html", html("Saved"), { "content-disposition": "attachment" }) },
    fails: "not-html",
    also: both,
  },
  { name: "an answer of 204", answers: { "/": answer(204, {}) }, fails: "empty_document", also: both },
  {
    name: "XHTML",
    answers: {
      "/": as(
        "application/xhtml+xml",
        `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head><body><p>Strict words<br/></p></body></html>`,
      ),
    },
    has: ["Strict words"],
    also: both,
  },
  {
    name: "XHTML that is broken",
    answers: {
      "/": as("application/xhtml+xml", `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Before</body></html>`),
    },
    fails: "empty_document",
  },
  {
    name: "frames of old",
    answers: {
      "/": `<!doctype html><html><head><title>Frames</title></head><frameset cols="50%,50%"><frame src="left"><frame src="right"></frameset></html>`,
      "/left": html("Left"),
      "/right": html("Right"),
    },
    has: ["frameset", 'src="left"'],
    also: both,
  },
  {
    name: "a password that is asked for",
    answers: { "/": answer(401, { "www-authenticate": 'Basic realm="x"' }, html("Who are you?")) },
    fails: "http_status",
    also: both,
  },
  {
    name: "an address that is replaced without asking",
    answers: { "/": scripted(`history.replaceState(null, "", "/made/up"); ${show}`) },
    has: ["Shown"],
  },
  {
    name: "an address that is pushed, and content after it",
    answers: { "/": scripted(`history.pushState(null, "", "/made/up"); setTimeout(() => { ${show} }, 700)`) },
    has: ["Shown"],
  },
  {
    name: "an application that goes by the fragment",
    answers: {
      "/": scripted(
        `addEventListener("hashchange", () => { document.querySelector("h1").textContent = "At " + location.hash; }); location.hash = "#/start";`,
      ),
    },
    has: ["At #/start"],
    lacks: ["Before"],
  },
  {
    name: "refreshes, one after the other",
    answers: {
      "/": html("One", `<meta http-equiv="refresh" content="0;url=/two">`),
      "/two": html("Two", `<meta http-equiv="refresh" content="1;url=/three">`),
      "/three": html("<h1>Three</h1>"),
    },
    has: ["Three"],
    lacks: ["One", "Two"],
    also: both,
  },
  {
    name: "a page that leads to data",
    answers: { "/": scripted(`location.href = "data:text/html,<h1>Made " + "up</h1>"`) },
    has: ["Before"],
    lacks: ["Made up"],
  },
  {
    name: "frames that load when they are seen",
    answers: {
      "/": html(`<div style="height:4000px">Tall</div><iframe loading="lazy" src="/low" id="low"></iframe>
        <script>document.querySelector("#low").onload = () => { ${show} }</script>`),
      "/low": html("Low"),
    },
    has: ["Shown"],
  },
  {
    name: "a worker that answers for the site",
    answers: {
      "/": scripted(
        `navigator.serviceWorker.register("/worker.js").then(() => fetch("/words")).catch(() => fetch("/words")).then((answer) => answer.text()).then((text) => { document.querySelector("h1").textContent = text; })`,
      ),
      "/worker.js": as(
        "text/javascript",
        `addEventListener("fetch", (event) => event.respondWith(new Response("from the worker")))`,
      ),
      "/words": late(300, "from the server", "text/plain"),
    },
    has: ["from the server"],
    lacks: ["from the worker"],
  },
  {
    name: "a shadow that is closed",
    answers: {
      "/": scripted(
        `document.querySelector("div").attachShadow({ mode: "closed" }).innerHTML = "<p>Scripts do not see me</p>"`,
        "<h1>Open</h1><div></div>",
      ),
    },
    has: ["Open", "Scripts do not see me", 'shadowrootmode="closed"'],
  },
  {
    name: "twenty shadows deep",
    answers: {
      "/": scripted(
        `const deep = (at, n) => { const root = at.attachShadow({ mode: "open" }); root.innerHTML = "<p>level " + n + "</p><div></div>"; if (n < 20) deep(root.querySelector("div"), n + 1); }; deep(document.querySelector("div"), 1);`,
        "<div></div>",
      ),
    },
    has: ["level 20"],
  },
  {
    name: "a window that closes itself",
    answers: { "/": scripted(`close(); ${show}`) },
    has: ["Shown"],
  },
  {
    name: "an answer that breaks off",
    answers: {
      "/": (_request, response) => {
        response.writeHead(200, { "content-type": "text/html", "content-length": "5000" }).write(html("<h1>Half</h1>"));
        setTimeout(() => response.destroy(), 200);
      },
    },
    fails: "body_cut_off",
    also: both,
  },
];
