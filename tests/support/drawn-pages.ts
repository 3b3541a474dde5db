import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A page that is drawn by scripts, and the files that its own origin serves for it. */
export interface DrawnPage {
  name: string;
  html: string;
  files?: Record<string, string>;
}

const page = (body: string, script = "", head = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not drawn</title><style>body { font: 16px sans-serif; margin: 20px } .box { width: 300px; height: 60px; background: #ddd; padding: 8px }</style>${head}</head><body>${body}<script>${script}; document.title = "drawn";</script></body></html>`;
/** A page that reports being drawn when its frames have loaded. */
const framed = (body: string, script = "", head = ""): string =>
  page(
    body,
    `const before = document.title; addEventListener("load", () => { ${script}; document.title = "all drawn" })`,
    head,
  );

const sheet = (css: string, options = ""): string =>
  `(() => { const sheet = new CSSStyleSheet(${options}); sheet.replaceSync(${JSON.stringify(css)}); return sheet })()`;
const shadow = (mode: string, at: string, html: string, more = ""): string =>
  `{ const root = document.querySelector(${JSON.stringify(at)}).attachShadow({ mode: ${JSON.stringify(mode)} }); root.innerHTML = ${JSON.stringify(html)}; ${more} }`;
const webgl = `const gl = document.querySelector("canvas").getContext("webgl"); if (gl === null) document.body.append("No WebGL"); else { gl.clearColor(0, 0.5, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); gl.enable(gl.SCISSOR_TEST); gl.scissor(20, 20, 60, 40); gl.clearColor(1, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); }`;
const svg = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60" fill="${colour}"/><circle cx="40" cy="30" r="20" fill="white"/></svg>`;

const greekFont = readFileSync(
  join(import.meta.dirname, "../../node_modules/@fontsource-variable/inter/files/inter-greek-wght-normal.woff2"),
);

/** The files of a page that lets its readers choose how it looks. */
const titledFiles = {
  "/titled/dark.css": ".box { background: black; color: gold }",
  "/titled/light.css": ".box { background: lightcyan }",
};

/** Pages with effects of scripts that `outerHTML` does not contain. */
export const drawnPages: readonly DrawnPage[] = [
  {
    name: "adopted style sheets, after all others",
    html: page(
      `<style>.box { background: #eee; color: red }</style><div class="box">Adopted</div>`,
      `document.adoptedStyleSheets = [${sheet(".box { background: #cfc; color: navy }")}, ${sheet(".box { border: 9px solid red }", "{ disabled: true }")}, ${sheet(".box { border: 5px solid blue }", `{ media: "print" }`)}, ${sheet(".box { outline: 4px dotted green }", `{ media: "screen" }`)}]`,
    ),
  },
  {
    name: "adopted style sheets in shadows in shadows",
    html: page(
      `<div id="outer"></div>`,
      shadow(
        "open",
        "#outer",
        `<p>Outer</p><div id="inner"></div>`,
        `root.adoptedStyleSheets = [${sheet("p { color: teal; font-size: 30px }")}]; const inner = root.querySelector("#inner").attachShadow({ mode: "open" }); inner.innerHTML = "<p>Inner</p>"; inner.adoptedStyleSheets = [${sheet("p { background: gold }")}];`,
      ),
    ),
  },
  {
    name: "rules put in, sheets switched off, a sheet of a blob",
    html: page(
      `<div class="box">Put in</div><p id="off">Off</p><p id="made">Made</p>`,
      `document.querySelector("#rules").sheet.insertRule(".box { background: #fc9 }"); document.querySelector("#switched").sheet.disabled = true; const link = document.createElement("link"); link.rel = "stylesheet"; link.href = URL.createObjectURL(new Blob(["#made { background: lime }"], { type: "text/css" })); document.head.append(link)`,
      `<style id="rules"></style><style id="switched">#off { background: red }</style>`,
    ),
  },
  {
    name: "style sheets to choose from: as the page offers them",
    html: page(
      `<div class="box">Chosen</div><p></p>`,
      `document.querySelector("p").textContent = "Offered"`,
      `<link rel="alternate stylesheet" title="dark" href="/titled/dark.css"><link rel="stylesheet" title="light" href="/titled/light.css"><link rel="alternate stylesheet" title="print" href="/titled/dark.css" media="print">`,
    ),
    files: titledFiles,
  },
  {
    name: "style sheets to choose from: another one that a script has chosen",
    html: framed(
      `<div class="box">Chosen</div>`,
      `const [dark, light] = document.querySelectorAll("link"); light.disabled = true; dark.disabled = false; document.querySelector("style[title]").sheet.disabled = true`,
      `<link rel="alternate stylesheet" title="dark" href="/titled/dark.css"><link rel="stylesheet" title="light" href="/titled/light.css"><style title="light">.box { border: 9px solid red }</style>`,
    ),
    files: titledFiles,
  },
  {
    name: "a frame of a blob",
    html: page(
      `<iframe width="300" height="100"></iframe>`,
      `document.querySelector("iframe").src = URL.createObjectURL(new Blob(["<!doctype html><body style='background: gold'><p>Of a blob</p>"], { type: "text/html" }))`,
    ),
  },
  {
    name: "declared shadows, open and closed",
    html: page(
      `<div><template shadowrootmode="open"><style>p { color: green }</style><p>Open <slot></slot></p><div><template shadowrootmode="open"><b>Deep</b></template></div></template>slotted</div>
       <div><template shadowrootmode="closed"><style>p { color: purple; font-size: 28px }</style><p>Closed</p></template></div>`,
      `document.body.append("scripted")`,
    ),
  },
  {
    name: "closed shadows, with slots, in one another",
    html: page(
      `<div id="a"><b>slotted</b></div><x-card></x-card>`,
      `${shadow("closed", "#a", `<style>p { background: pink }</style><p>Closed <slot></slot></p><div></div>`, `root.querySelector("div").attachShadow({ mode: "closed" }).innerHTML = "<i>deeper</i>";`)} customElements.define("x-card", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<h2>Card</h2>" } })`,
    ),
  },
  {
    name: "states of elements, properties that were registered, and children that were put into slots",
    html: page(
      `<x-lamp></x-lamp><x-lamp></x-lamp><div class="box" id="wide"></div><x-slots>loose<b>first</b><i>second</i><u>nowhere</u></x-slots>`,
      `customElements.define("x-lamp", class extends HTMLElement { constructor() { super(); this.inner = this.attachInternals(); this.attachShadow({ mode: "open" }).innerHTML = "<style>:host(:state(warm)) { outline: 6px solid orange }</style>Lamp" } });
       const { states } = document.querySelector("x-lamp").inner; states.add("lit"); states.add("warm"); states.add("over"); states.delete("over");
       CSS.registerProperty({ name: "--wide", syntax: "<length>", inherits: false, initialValue: "420px" });
       customElements.define("x-slots", class extends HTMLElement { constructor() { super(); const root = this.attachShadow({ mode: "open", slotAssignment: "manual" }); root.innerHTML = "<p style='background: gold'><slot></slot></p><p style='background: cyan'><slot></slot></p><p><slot>nothing</slot></p>"; const [upper, lower] = root.querySelectorAll("slot"); upper.assign(this.children[1]); lower.assign(this.firstChild, this.children[0]) } })`,
      `<style>x-lamp { display: block; width: 200px; height: 40px; margin: 10px; background: #ccc } x-lamp:state(lit) { background: gold } x-lamp:state(over) { background: red } #wide { --wide: initial; width: var(--wide, 10px) }</style>`,
    ),
  },
  {
    name: "links by how they are written: within the site, to other sites, and into a new tab",
    html: page(
      `<p><a href="next.html">Next</a> <a href="../up/" target="_self">Up</a> <a href="#part" rel="bookmark">Part</a> <a href="https://else.test/" rel="external">Elsewhere</a> <a href="//else.test/two" target="_blank">Two</a></p><svg width="90" height="30"><a href="drawn.html"><rect width="80" height="30"/></a></svg><div id="host"></div>`,
      `const link = document.createElement("a"); link.href = "late.html"; link.textContent = "Late"; document.querySelector("p").append(" ", link); ${shadow("open", "#host", `<a href="inner.html">Inner</a>`, `root.adoptedStyleSheets = [${sheet(`a[href^="inner"] { background: gold } a[href*=":"] { background: red }`)}]`)}`,
      `<link rel="stylesheet" href="/written.css"><style>a[href^="http"] { background: orange } a:not([target]) { border: 1px solid } a[rel~="external"] { color: brown } a[href]:nth-child(2)::before { content: "(" attr(href) ")" } [href="drawn.html"] rect { fill: teal } p { display: grid; grid-template-columns: [href] auto [target] 300px [rel] } a[target] { grid-column: target }</style>`,
    ),
    files: { "/written.css": `a[href*="://"]::after { content: " leads elsewhere" }` },
  },
  {
    name: "style sheets, a title and a text field in which templates have marked places by comments",
    html: page(
      `<div id="host"></div><textarea></textarea><style id="own"></style><div class="box">Box</div>`,
      `const marked = (...texts) => texts.flatMap((text) => [document.createComment("?lit$"), text]);
       document.querySelector("#own").append(...marked(".box { --ground: ", "gold; background: var(--ground); color: ", "navy }"));
       document.querySelector("textarea").append(...marked("Written ", "here"));
       const root = document.querySelector("#host").attachShadow({ mode: "open" });
       root.innerHTML = "<style></style><p>In a shadow</p>";
       root.querySelector("style").append(...marked(":host { --size: ", "30px; --family: ", "monospace } p { font: var(--size) var(--family) }"));
       document.querySelector("title").replaceChildren(...marked("Marked and ", "drawn"))`,
    ).replace(`; document.title = "drawn"`, ""),
  },
  {
    name: "a chart that grows for more than a second, and a field in which nothing is chosen",
    html: page(
      `<canvas width="300" height="120"></canvas><p><select id="none"><option>First</option><option>Second</option></select></p>`,
      `document.querySelector("#none").selectedIndex = -1;
       const pen = document.querySelector("canvas").getContext("2d"), began = performance.now();
       const grow = () => {
         const part = Math.min(1, (performance.now() - began) / 1500);
         pen.clearRect(0, 0, 300, 120); pen.fillStyle = "teal"; pen.fillRect(20, 120 - 100 * part, 60, 100 * part); pen.fillRect(120, 120 - 60 * part, 60, 60 * part);
         if (part < 1) requestAnimationFrame(grow); else document.title = "grown and drawn";
       };
       grow()`,
    )
      .replace("Not drawn", "Growing")
      .replace(`; document.title = "drawn"`, ""),
  },
  {
    name: "canvases: flat, deep, of a worker, and a picture of a blob",
    html: page(
      `<canvas width="100" height="80" style="border: 3px solid"></canvas><canvas id="flat" width="100" height="80"></canvas><canvas id="away" width="100" height="80"></canvas><img id="blob" width="80" height="60">`,
      `${webgl} const pen = document.querySelector("#flat").getContext("2d"); pen.fillStyle = "#06c"; pen.fillRect(10, 10, 60, 50); pen.fillStyle = "white"; pen.font = "20px sans-serif"; pen.fillText("Flat", 14, 40);
       const away = document.querySelector("#away").transferControlToOffscreen(); const far = away.getContext("2d"); far.fillStyle = "orange"; far.fillRect(5, 5, 90, 70);
       document.querySelector("#blob").src = URL.createObjectURL(new Blob([${JSON.stringify(svg("brown"))}], { type: "image/svg+xml" }))`,
    ),
  },
  {
    name: "fields that scripts filled",
    html: page(
      `<input id="text" value="before"> <input type="checkbox"> <input type="radio" name="r" checked> <input type="radio" name="r" id="second"><textarea>before</textarea><select><option>one</option><option>two</option><option>three</option></select>`,
      `document.querySelector("#text").value = "after"; document.querySelector("[type=checkbox]").checked = true; document.querySelector("#second").checked = true; document.querySelector("textarea").value = "written"; document.querySelector("select").value = "three"`,
    ),
  },
  {
    name: "style rules with variables of which a part is set anew",
    html: page(
      `<p class="own">Put in</p><div class="box">Adopted</div>`,
      `const put = (text) => document.querySelector("#rules").sheet.insertRule(text); put("@media screen { .own { --back: linear-gradient(red, blue); background: var(--back); -webkit-background-clip: text; color: transparent; font-size: 50px } }"); document.adoptedStyleSheets = [${sheet(".box { --side: 30px; margin: var(--side); margin-left: 0; border: var(--none, 5px solid navy); border-top: none }")}]`,
      `<style id="rules"></style>`,
    ),
  },
  {
    name: "what an animation of a script has moved to its place",
    html: page(
      `<div class="box" id="seen" style="opacity: 0">Seen</div><div class="box" id="aside">Aside</div>`,
      `document.querySelector("#seen").animate([{ opacity: 0 }, { opacity: 1, "--x": 1 }], { duration: 50, fill: "forwards" }); document.querySelector("#aside").animate({ transform: "translateX(200px)", backgroundColor: "gold" }, { duration: 1, fill: "both" })`,
    ),
  },
  {
    name: "what lies over the page: a modal dialog and an open popover",
    html: page(
      `<div style="height: 500px"></div><dialog><p>Asked</p></dialog><div popover>Told</div><div popover>Never told</div>`,
      `document.querySelector("dialog").showModal(); document.querySelector("[popover]").showPopover()`,
      `<style>dialog { outline: none } dialog::backdrop { background: rgba(0, 0, 80, 0.5) } [popover] { inset: 20px auto auto 30px } :popover-open { display: flex; translate: 40px 0 } [popover]:not(:popover-open) { opacity: 0 }</style>`,
    ),
  },
  {
    name: "what lies behind a modal dialog: a blur and a gradient",
    html: page(
      `<h1>Behind the dialog</h1><p>Blurred</p><dialog><p>Asked</p></dialog>`,
      `document.querySelector("dialog").showModal()`,
      `<style>dialog { outline: none } dialog::backdrop { background: linear-gradient(rgba(200, 0, 0, 0.4), rgba(0, 0, 200, 0.4)); backdrop-filter: blur(4px); opacity: 0.8 }</style>`,
    ),
  },
  {
    name: "frames in which no script may run",
    html: framed(
      `<iframe sandbox="allow-same-origin" src="/frames/still.html" width="500" height="200"></iframe><iframe sandbox src="/frames/still.html" width="500" height="200"></iframe>`,
      `document.body.append("Loaded")`,
    ),
    files: {
      "/frames/still.html": `<!doctype html><title>Still</title><noscript><h2 style="background: gold">Drawn without scripts</h2></noscript><noscript>Switch scripts on</noscript><p>As it came</p><script>document.querySelector("p").remove()</script>`,
    },
  },
  {
    name: "the ring around what has the focus in a modal dialog",
    html: page(
      `<div style="height: 500px"></div><input autofocus><dialog><p>Asked</p><button>Yes</button></dialog>`,
      `document.querySelector("dialog").showModal()`,
      `<style>button:focus-visible { outline: 6px solid red; outline-offset: 4px } input { outline: none }</style>`,
    ),
  },
  {
    name: "the ring around a modal dialog that has the focus itself",
    html: page(
      `<div style="height: 500px"></div><dialog><p>Asked</p></dialog>`,
      `document.querySelector("dialog").showModal()`,
    ),
  },
  {
    name: "what no parser leaves where a script has put it",
    html: page(
      `<main></main>`,
      `const make = (name, ...parts) => { const made = document.createElement(name); made.append(...parts); if (name === "a") made.href = "/"; return made };
       const host = make("section"); host.attachShadow({ mode: "open" }).append(make("style", "p { background: pink }"), make("p", "In a shadow ", make("ul", make("li", "item"))));
       document.querySelector("main").append(make("p", "Before", make("div", "in between", make("p", "and deeper")), "after"), make("a", "Card ", make("div", make("a", "inner"), " end")), make("button", "outer ", make("button", "inner")), host)`,
      `<style>p { font-size: 26px; background: #eee; padding: 10px } a { border: 1px solid; padding: 4px } main div { color: navy }</style>`,
    ),
  },
  {
    name: "a font that a script adds",
    html: page(
      `<p style="font: 40px Added, monospace">\u03a9\u03c1\u03b1\u03af\u03b1</p>`,
      `const face = new FontFace("Added", "url(data:font/woff2;base64,${greekFont.toString("base64")})", { weight: "100 900" }); document.fonts.add(face); face.load()`,
    ),
  },
  {
    name: "films that ask for no controls",
    html: page(
      `<video width="300" height="200" poster="/film.svg" muted loop></video><p></p>`,
      `document.querySelector("p").textContent = "Beside it"`,
    ),
    files: { "/film.svg": svg("olive") },
  },
  {
    name: "several chosen at once",
    html: page(
      `<select multiple size="4"><option selected>one</option><option>two</option><option>three</option><option>four</option></select>`,
      `const [first, second, , fourth] = document.querySelectorAll("option"); first.selected = false; second.selected = fourth.selected = true`,
    ),
  },
  {
    name: "a list that is scrolled to the one that is chosen, in a window of its own",
    html: page(
      `<div style="height: 120px; width: 300px; overflow: auto; scrollbar-width: none"><div style="position: absolute; top: 20px; right: 0"><b>Beside it</b></div><ul style="margin: 0">${Array.from({ length: 40 }, (_, at) => `<li style="height: 24px">Entry ${at}</li>`).join("")}</ul></div><p>Behind the list</p>`,
      `document.querySelector("li:nth-child(20)").className = "chosen"; document.querySelector("div").scrollTop = 480`,
      "<style>.chosen { background: gold }</style>",
    ),
  },
  {
    name: "frames of the site: drawn by their scripts, in one another, written, of a text",
    html: framed(
      `<iframe src="/frames/own.html" width="500" height="300"></iframe><iframe id="written" width="300" height="80"></iframe><iframe width="300" height="80" srcdoc="&lt;p&gt;Before&lt;/p&gt;&lt;script&gt;document.querySelector('p').textContent = 'Of a text'&lt;/script&gt;"></iframe><iframe id="changed" src="/frames/plain.html" width="300" height="80"></iframe>`,
      `document.querySelector("#written").contentDocument.body.innerHTML = "<div style='background: teal; height: 30px'></div>"; document.querySelector("#changed").contentDocument.querySelector("p").textContent = "Changed from outside"`,
    ),
    files: {
      "/frames/own.html": page(
        `<p>Frame</p><img src="pictures/own.svg"><iframe src="deep/inner.html" width="300" height="120"></iframe>`,
        `document.querySelector("p").outerHTML = "<h2>Drawn in a frame</h2>"`,
      ),
      "/frames/deep/inner.html": page("<p>Inner</p>", `document.querySelector("p").style.background = "yellow"`),
      "/frames/pictures/own.svg": svg("navy"),
      "/frames/plain.html": "<!doctype html><title>Plain</title><p>As it came</p>",
    },
  },
];

/** A page whose pictures show by their colour which source was chosen. */
export const chosenPicture = (): DrawnPage => ({
  name: "pictures for a window",
  html: `<!doctype html><title>drawn</title><style>body { margin: 0 } img { display: block; width: 80px; height: 60px }</style>
    <img srcset="/c/red.svg 1x, /c/green.svg 2x" src="/c/red.svg">
    <img srcset="/c/red.svg 100w, /c/green.svg 200w, /c/blue.svg 800w" sizes="100px" src="/c/grey.svg">
    <img srcset="/c/red.svg 300w, /c/green.svg 700w, /c/blue.svg 2000w" sizes="(max-width: 700px) 50vw, 1000px" src="/c/grey.svg">
    <picture><source media="(min-width: 1000px)" srcset="/c/red.svg"><source media="(min-resolution: 2dppx)" srcset="/c/green.svg"><img src="/c/blue.svg"></picture>
    <picture><source media="(max-width: 700px)" srcset="/c/red.svg, /c/green.svg 1.5x"><img src="/c/blue.svg"></picture>`,
  files: Object.fromEntries(["red", "green", "blue", "grey"].map((colour) => [`/c/${colour}.svg`, svg(colour)])),
});
