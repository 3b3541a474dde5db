// @ts-check
import { answer, arrived, html, late, scripted, show } from "./page.mjs";

const filler = "<p>words</p>".repeat(30);
/** Rows of 500 px that a script fills once they come into view (`whenSeen`). */
const lazyRows = Array.from(
  { length: 12 },
  (_, n) => `<section style="height:500px" id="r${n}">waiting ${n}</section>`,
).join("");
const whenSeen = `const watch = new IntersectionObserver((all) => all.filter((one) => one.isIntersecting).forEach(({ target }) => { target.textContent = "Seen " + target.id; })); document.querySelectorAll("section").forEach((one) => watch.observe(one));`;
let asked = 0;

/** Unusual pages that the product was not designed for. @type {import("./page.mjs").ZooPage[]} */
export const strange = [
  {
    name: "an application that scrolls inside of itself",
    answers: {
      "/": scripted(
        whenSeen,
        `<style>body { margin: 0; height: 100vh; overflow: hidden } main { height: 100vh; overflow: auto }</style><main>${lazyRows}</main>`,
      ),
    },
    has: ["Seen r0", "Seen r11"],
  },
  {
    name: "an answer that never ends",
    answers: {
      "/": (_request, response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
        response.write("<!doctype html><title>Stream</title><h1>Begun</h1><ul>");
        const clock = setInterval(() => response.write("<li>line</li>"), 200);
        response.once("close", () => clearInterval(clock));
      },
    },
    has: ["Begun", "<li>line</li>"],
    restless: true,
    deadlineMs: 60_000,
  },
  {
    name: "a refresh to itself with another question each time",
    answers: {
      "/": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/html" })
          .end(html("<p>Wait</p>", `<meta http-equiv="refresh" content="0;url=/?n=${(asked += 1)}">`)),
    },
    fails: "navigation_failed",
    words: /never stopped|still redirecting/,
  },
  {
    name: "a frame that leads the whole page away",
    answers: {
      "/": html(`<h1>Before</h1><iframe src="/inner"></iframe>`),
      "/inner": scripted(`top.location = "/next"`),
      "/next": arrived,
    },
    has: ["Arrived"],
    lacks: ["Before"],
  },
  {
    name: "a page that asks before it is left, and leads on",
    answers: {
      "/": scripted(`addEventListener("beforeunload", (event) => event.preventDefault()); location.href = "/next"`),
      "/next": arrived,
    },
    has: ["Arrived"],
  },
  {
    name: "a worker that says that one is offline",
    answers: {
      "/": scripted(
        `(async () => { if (localStorage.tried) { ${show} return; } localStorage.tried = 1; try { await Promise.race([navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready), new Promise((go) => setTimeout(go, 1000))]); } catch {} location.reload(); })()`,
      ),
      "/worker.js": answer(
        200,
        { "content-type": "text/javascript" },
        `oninstall = () => skipWaiting(); onactivate = () => clients.claim(); onfetch = (event) => event.respondWith(new Response("<h1>Offline</h1>", { headers: { "content-type": "text/html" } }));`,
      ),
    },
    has: ["Shown"],
    lacks: ["Offline"],
  },
  {
    name: "hints before the answer",
    answers: {
      "/": (_request, response) => {
        response.writeEarlyHints({ link: "</style.css>; rel=preload; as=style" });
        setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end(html("<h1>Hinted</h1>")), 200);
      },
    },
    has: ["Hinted"],
    also: ["http"],
  },
  {
    name: "a part that nobody asked for",
    answers: { "/": answer(206, { "content-range": "bytes 0-99/5000" }, html("<h1>A part</h1>")) },
    fails: "http_status",
    also: ["http"],
  },
  {
    name: "not modified, though nobody asked",
    answers: { "/": answer(304, {}) },
    fails: "protocol_error",
  },
  {
    name: "redirects in a circle",
    answers: { "/": answer(302, { location: "/a" }), "/a": answer(302, { location: "/" }) },
    fails: "too_many_redirects",
    also: ["http"],
  },
  {
    name: "an answer that is not packed as it says",
    answers: { "/": answer(200, { "content-encoding": "gzip" }, html("<h1>Plain</h1>")) },
    fails: "encoding_broken",
    also: ["http"],
  },
  {
    name: "an address that is pushed for ever",
    answers: {
      "/": scripted(`let n = 0; setInterval(() => history.pushState(null, "", "?" + (n += 1)), 20); ${show}`),
    },
    has: ["Shown"],
  },
  {
    name: "a dialog over the page",
    answers: { "/": scripted(`document.querySelector("dialog").showModal()`, "<dialog><p>Asked</p></dialog>") },
    has: ["<dialog open", "Asked"],
  },
  {
    name: "a container whose width decides",
    answers: {
      "/": scripted(
        `new ResizeObserver(([entry]) => { document.querySelector("p").textContent = "wide: " + (entry.contentRect.width > 600) }).observe(document.querySelector("div"))`,
        `<style>div { container-type: inline-size; width: 80vw } @container (width > 600px) { p { color: red } }</style><div><p>Before</p></div>`,
      ),
    },
    has: ["wide: true"],
  },
  {
    name: "a character set that is named late",
    answers: {
      "/": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/html" })
          .end(
            Buffer.from(
              `<!doctype html><html><head><script>/*${" ".repeat(1_500)}*/</script><meta charset="iso-8859-15"><title>L</title></head><body><p>Stra\xdfe \xa4 5</p></body></html>`,
              "latin1",
            ),
          ),
    },
    has: ["Straße"],
  },
  {
    name: "a hash router that asks for its pages",
    answers: {
      "/": scripted(
        `const go = async () => { document.querySelector("main").innerHTML = await (await fetch("/part" + location.hash.slice(1))).text(); }; addEventListener("hashchange", go); if (location.hash === "") location.hash = "#/home"; else go();`,
        `<div id="app"><main></main></div>`,
      ),
      "/part/home": late(400, "<h2>Routed</h2>"),
    },
    has: ["Routed"],
  },
  {
    name: "a module that waits before it draws",
    answers: {
      "/": html(`${filler}<script type="module">await new Promise((go) => setTimeout(go, 1800)); ${show}</script>`),
    },
    has: ["Shown"],
  },
  {
    name: "an element that is defined late",
    answers: {
      "/": scripted(
        `setTimeout(() => customElements.define("x-late", class extends HTMLElement { connectedCallback() { this.innerHTML = "<h2>Defined</h2>" } }), 1200)`,
        "<x-late>Waiting</x-late>",
      ),
    },
    has: ["Defined"],
    lacks: ["Waiting"],
  },
  {
    name: "words that a hidden page does not show",
    answers: {
      "/": scripted(`if (document.visibilityState === "visible" && document.hasFocus()) { ${show} }`),
    },
    has: ["Shown"],
  },
  {
    name: "frames of the site that scripts draw, in one another",
    answers: {
      "/": html(`<h1>Outside</h1><iframe src="/a/"></iframe>`),
      "/a/": scripted(`document.body.append("Drawn within")`, `<iframe src="b"></iframe>`),
      "/a/b": scripted(`setTimeout(() => document.body.append("Drawn deeper"), 300)`),
    },
    has: ["Outside", "Drawn within", "Drawn deeper"],
  },
  {
    name: "a frame of a text whose script draws",
    answers: {
      "/": html(
        `<iframe srcdoc="<p>Before</p><script>document.querySelector('p').textContent = 'Worked ' + 'on'</script>"></iframe>`,
      ),
    },
    has: ["Worked on"],
  },
  {
    name: "a field that a script fills",
    answers: { "/": scripted(`document.querySelector("input").value = "4" + "2"`, "<input>") },
    has: ['value="42"'],
  },
  {
    name: "a shadow that the parser closed",
    answers: {
      "/": scripted(
        `document.querySelector("h1").textContent = "Scripted"`,
        `<h1>Before</h1><x-box><template shadowrootmode="closed"><p>Shut</p></template></x-box>`,
      ),
    },
    has: ["Scripted", "Shut"],
  },
];
