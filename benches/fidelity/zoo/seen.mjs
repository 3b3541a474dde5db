// @ts-check
import { answer, html, scripted, show } from "./page.mjs";

const rows = Array.from(
  { length: 20 },
  (_, index) => `<section style="height:600px" id="s${index}">row ${index}</section>`,
).join("");
const observer = `const watch = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach(({ target }) => { watch.unobserve(target); target.innerHTML = "<h2>Seen " + target.id + "</h2>"; })); document.querySelectorAll("section").forEach((one) => watch.observe(one));`;
const canvas = `const ink = document.querySelector("canvas").getContext("2d"); ink.fillStyle = "#c00"; ink.fillRect(0, 0, 50, 50);`;
const big = JSON.stringify(
  Array.from({ length: 30_000 }, (_, id) => ({
    id,
    name: `name ${id}`,
    text: "some words of a record that is long enough to count",
  })),
);

/** Pages whose document alone does not show what a person sees. @type {import("./page.mjs").ZooPage[]} */
export const seen = [
  { name: "rows that are drawn when they are seen", answers: { "/": scripted(observer, rows) }, has: ["Seen s19"] },
  {
    name: "a list without end",
    answers: {
      "/": scripted(
        `const add = () => { for (let n = 0; n < 5; n += 1) document.body.insertAdjacentHTML("beforeend", "<p style='height:300px'>line</p>"); }; add(); addEventListener("scroll", () => { if (scrollY + innerHeight > document.documentElement.scrollHeight - 50) add(); });`,
      ),
    },
    has: ["line"],
    restless: false,
  },
  {
    name: "an open shadow",
    answers: {
      "/": scripted(
        `const root = document.querySelector("div").attachShadow({ mode: "open" }); root.innerHTML = "<style>p { color: red }</style><p>In the shadow</p><slot></slot>";`,
        `<div><b>slotted</b></div>`,
      ),
    },
    has: ["In the shadow", "shadowrootmode", "slotted"],
  },
  {
    name: "shadows in shadows",
    answers: {
      "/": scripted(
        `const deep = (at, n) => { const root = at.attachShadow({ mode: "open" }); root.innerHTML = "<p>level " + n + "</p><div></div>"; if (n < 4) deep(root.querySelector("div"), n + 1); }; deep(document.querySelector("div"), 1);`,
        "<div></div>",
      ),
    },
    has: ["level 4"],
  },
  {
    name: "a declared shadow",
    answers: { "/": html(`<div><template shadowrootmode="open"><p>Declared</p></template></div>`) },
    has: ["Declared", "shadowrootmode"],
    also: ["http"],
  },
  {
    name: "an element of its own",
    answers: {
      "/": scripted(
        `customElements.define("x-card", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<p>Card " + this.getAttribute("n") + "</p>"; } })`,
        `<x-card n="1"></x-card><x-card n="2"></x-card>`,
      ),
    },
    has: ["Card 1", "Card 2"],
  },
  {
    name: "a style sheet that a script adopts",
    answers: {
      "/": scripted(
        `const sheet = new CSSStyleSheet(); sheet.replaceSync("h1 { color: rgb(1, 2, 3) }"); document.adoptedStyleSheets = [sheet];`,
      ),
    },
    has: ["color: rgb(1, 2, 3)"],
  },
  {
    name: "rules that a script puts in",
    answers: {
      "/": scripted(
        `document.querySelector("style").sheet.insertRule("h1 { color: rgb(4, 5, 6) }")`,
        "<style></style><h1>Before</h1>",
      ),
    },
    has: ["color: rgb(4, 5, 6)"],
  },
  {
    name: "a style sheet adopted by a shadow",
    answers: {
      "/": scripted(
        `const sheet = new CSSStyleSheet(); sheet.replaceSync("p { color: rgb(7, 8, 9) }"); const root = document.querySelector("div").attachShadow({ mode: "open" }); root.innerHTML = "<p>Shade</p>"; root.adoptedStyleSheets = [sheet];`,
        "<div></div>",
      ),
    },
    has: ["Shade", "color: rgb(7, 8, 9)"],
  },
  {
    name: "a canvas",
    answers: { "/": scripted(canvas, `<canvas id="chart" width="50" height="50"></canvas>`) },
    has: ["data:image/png;base64,", 'id="chart"'],
  },
  {
    name: "a frame that a script writes",
    answers: {
      "/": scripted(
        `const frame = document.createElement("iframe"); document.body.append(frame); frame.contentDocument.body.innerHTML = "<p>Framed</p>";`,
      ),
    },
    has: ["Framed"],
  },
  {
    name: "a frame of the same site",
    answers: { "/": html(`<h1>Outside</h1><iframe src="inside"></iframe>`), "/inside": html("Inside") },
    has: ["Outside", 'src="inside"'],
    also: ["http"],
  },
  {
    name: "three megabytes of records",
    answers: {
      "/": html(
        `<ul></ul><script type="application/json">${big}</script><script>const all = JSON.parse(document.querySelector("script").textContent); document.querySelector("ul").innerHTML = all.slice(0, 50).map(({ name }) => "<li>" + name + "</li>").join("")</script>`,
      ),
    },
    has: ["<li>name 49</li>"],
  },
  {
    name: "written while it is read",
    answers: { "/": html(`<script>document.write("<h2>Written</h2>")</script>`) },
    has: ["<h2>Written</h2>"],
  },
  {
    name: "written anew when it was read",
    answers: {
      "/": scripted(
        `setTimeout(() => { document.open(); document.write("<h2>Written anew</h2>"); document.close(); }, 300)`,
      ),
    },
    has: ["Written anew"],
    lacks: ["Before"],
  },
  {
    name: "a font that is slow",
    answers: {
      "/": html(
        `<h2>Shown</h2><script>document.fonts.load("20px slow").catch(() => 0)</script>`,
        `<style>@font-face { font-family: slow; src: url(font.woff2) } h2 { font-family: slow }</style>`,
      ),
      "/font.woff2": (_request, response) => void setTimeout(() => response.writeHead(404).end(), 800),
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "a style that hides all until scripts ran",
    answers: { "/": scripted(`document.documentElement.className = "ready"`, "<h2>Shown</h2>") },
    has: ['class="ready"'],
  },
  {
    name: "a page in another character set",
    answers: {
      "/": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/html; charset=windows-1252" })
          .end(Buffer.from("<title>Z</title><p>Gr\xfc\xdfe</p>", "latin1")),
    },
    has: ["Grüße"],
  },
  {
    name: "a page that forbids scripts",
    answers: {
      "/": answer(
        200,
        { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'" },
        scripted(show, "<h1>Plain</h1>"),
      ),
    },
    has: ["Plain"],
  },
];
