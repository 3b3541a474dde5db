// @ts-check
import { html, late, scripted, show } from "./page.mjs";

/** Pages that show something later. @type {import("./page.mjs").ZooPage[]} */
export const timing = [
  { name: "content after 1.5 s", answers: { "/": scripted(`setTimeout(() => { ${show} }, 1500)`) }, has: ["Shown"] },
  { name: "content after 2.9 s", answers: { "/": scripted(`setTimeout(() => { ${show} }, 2900)`) }, has: ["Shown"] },
  {
    name: "content after three timers",
    answers: { "/": scripted(`setTimeout(() => setTimeout(() => setTimeout(() => { ${show} }, 700), 700), 700)`) },
    has: ["Shown"],
  },
  {
    name: "content asked for after a second",
    answers: {
      "/": scripted(
        `setTimeout(async () => { document.body.insertAdjacentHTML("beforeend", await (await fetch("part")).text()) }, 1000)`,
      ),
      "/part": late(600, "<h2>Shown</h2>"),
    },
    has: ["Shown"],
  },
  {
    name: "content that takes three seconds to answer",
    answers: {
      "/": scripted(
        `fetch("part").then((it) => it.text()).then((text) => document.body.insertAdjacentHTML("beforeend", text))`,
      ),
      "/part": late(3_000, "<h2>Shown</h2>"),
    },
    has: ["Shown"],
  },
  {
    name: "answers that ask for more",
    answers: {
      "/": scripted(
        `const next = async (n) => { if (n === 0) { ${show} } else { await fetch("part?" + n); setTimeout(next, 200, n - 1); } }; next(3)`,
      ),
      "/part?1": "1",
      "/part?2": "2",
      "/part?3": "3",
    },
    has: ["Shown"],
  },
  {
    name: "items that come one by one",
    answers: {
      "/": scripted(
        `let n = 0; const clock = setInterval(() => { document.body.insertAdjacentHTML("beforeend", "<li>item " + ++n + "</li>"); if (n === 8) clearInterval(clock); }, 300)`,
      ),
    },
    has: ["item 8"],
  },
  {
    name: "progress, then content",
    answers: {
      "/": scripted(
        `let n = 0; const clock = setInterval(() => { document.querySelector("h1").textContent = ++n * 10 + " %"; if (n === 10) { clearInterval(clock); ${show} } }, 120)`,
      ),
    },
    has: ["Shown"],
  },
  {
    name: "content when the browser is idle",
    answers: { "/": scripted(`requestIdleCallback(() => { ${show} })`) },
    has: ["Shown"],
  },
  {
    name: "content from a worker",
    answers: {
      "/": scripted(
        `const worker = new Worker(URL.createObjectURL(new Blob(["setTimeout(() => postMessage(1), 200)"]))); worker.onmessage = () => { ${show} }`,
      ),
    },
    has: ["Shown"],
  },
  {
    name: "content when a picture has loaded",
    answers: {
      "/": scripted(
        `const image = new Image(); image.onload = image.onerror = () => { ${show} }; image.src = "picture"`,
      ),
      "/picture": late(900, "no picture"),
    },
    has: ["Shown"],
  },
  {
    name: "content by messages",
    answers: {
      "/": scripted(
        `const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { ${show} }; port2.postMessage(1)`,
      ),
    },
    has: ["Shown"],
  },
  {
    name: "content after promises",
    answers: { "/": scripted(`(async () => { for (let n = 0; n < 1000; n += 1) await null; ${show} })()`) },
    has: ["Shown"],
  },
  {
    name: "a clock",
    answers: {
      "/": scripted(
        `setInterval(() => document.querySelector("h1").textContent = new Date().toISOString(), 1000); ${show}`,
      ),
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "a ticker",
    answers: {
      "/": scripted(
        `let n = 0; setInterval(() => document.querySelector("h1").textContent = "tick " + ++n, 100); ${show}`,
      ),
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "a ticker that is drawn anew, with late content",
    answers: {
      "/": scripted(
        `let n = 0; setInterval(() => document.querySelector("div").innerHTML = "<b><i>tick " + ++n + "</i></b>", 100); setTimeout(() => { ${show} }, 2500)`,
        "<div><b></b></div>",
      ),
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "a carousel, with late content",
    answers: {
      "/": scripted(
        `setInterval(() => { const list = document.querySelector("ul"); list.append(list.firstElementChild); list.classList.toggle("on"); }, 250); setTimeout(() => { ${show} }, 2000)`,
        "<ul><li>1</li><li>2</li><li>3</li></ul>",
      ),
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "an endless animation",
    answers: {
      "/": scripted(
        `const turn = (at) => { document.querySelector("h1").style.transform = "rotate(" + at + "deg)"; requestAnimationFrame(turn); }; turn(0); ${show}`,
      ),
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "a log that grows for ever",
    answers: {
      "/": scripted(
        `${show} setInterval(() => document.querySelector("ul").insertAdjacentHTML("beforeend", "<li>line</li>"), 100)`,
        `<ul class="log"></ul>`,
      ),
    },
    has: ["Shown", "<li>line</li>"],
    restless: true,
  },
  {
    name: "a page that asks every second",
    answers: {
      "/": scripted(`const ask = async () => { await fetch("part"); setTimeout(ask, 1000); }; ask(); ${show}`),
      "/part": "1",
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "a stream of events",
    answers: {
      "/": scripted(`new EventSource("events").onmessage = () => { ${show} }`),
      "/events": (_request, response) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n"),
    },
    has: ["Shown"],
    restless: false,
  },
  {
    name: "a question that is never answered",
    answers: { "/": scripted(`fetch("part"); ${show}`), "/part": () => undefined },
    has: ["Shown"],
    restless: true,
  },
  {
    name: "a picture that never comes",
    answers: {
      "/": html(`<h2>Shown</h2><script>1</script>`, `<script>fetch("part").catch(() => 0)</script>`),
      "/part": late(1_000, ""),
    },
    has: ["Shown"],
    restless: false,
  },
];
