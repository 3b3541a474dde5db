// @ts-check
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";

/**
 * Starts a site with parts that differ at every request: nonce, form token, clock, counter, rotating advertisement,
 * cache-buster, A/B variant, view count, order of a list.
 * @param {number} count of pages
 * @param {boolean} noisy false: the same site without any of it
 * @returns {Promise<import("./trial.mjs").Site>}
 */
export async function startNoisySite(count, noisy = true) {
  let visits = 0;
  let year = 2025;
  /** @type {Map<number, (html: string) => string>} */
  const edits = new Map();
  const any = (/** @type {number} */ below) => (noisy ? Math.floor(Math.random() * below) : 0);
  const token = (/** @type {number} */ bytes) => (noisy ? randomBytes(bytes).toString("hex") : "00".repeat(bytes));
  const ads = [
    '<a href="/hats">Hats, <b>half price</b></a>',
    "<img src=/shoes.png alt=Shoes> now in red",
    "<i>Coats</i> for the winter",
  ];
  const page = (/** @type {number} */ number) => {
    visits += noisy ? 1 : 0;
    const now = noisy ? new Date().toISOString() : "2026-01-01T00:00:00.000Z";
    const people = ["Anna Abel", "Bert Brecht", "Carla Conti", "Dora Duncan"];
    if (noisy) people.sort(() => Math.random() - 0.5);
    const html = `<!doctype html>
<html><head><title>Article ${number}</title>
<meta name="csrf-token" content="${token(20)}">
<link rel="stylesheet" href="/style.css?cb=${token(4)}">
<script nonce="${token(12)}">window.state = {"session":"${token(16)}","article":${number},"at":${Date.parse(now)}};</script></head>
<body class="page ${any(2) === 0 ? "test-a" : "test-b"}">
<form action="/search"><input type="hidden" name="_token" value="${token(20)}"><input name="q"></form>
<h1>Article ${number}</h1>
<p class="byline">By ${["Anna", "Bert"][number % 2]}, ${count - number} of ${count}. Printed at ${now.slice(11, 19)} on server ${any(3)}.</p>
<div class="banner">${ads[any(ads.length)]}</div>
<p>First paragraph of article ${number}, with words about the subject number ${number * 7}.</p>
<p>Second paragraph. It goes on for a while, as paragraphs do, and ends at last.</p>
<p class="seen">This article was read ${1000 + visits} times by our readers.</p>
<ul class="authors">${people.map((name) => `<li><a href="/by/${name.slice(0, 4).trim().toLowerCase()}">${name}</a></li>`).join("")}</ul>
${Array.from({ length: 12 }, (_, index) => `<p>Paragraph ${index} says what has to be said on page ${number}, neither more nor less.</p>`).join("\n")}
<footer>© ${year} Example Press. Request ${token(8)}.</footer></body></html>`;
    return edits.get(number)?.(html) ?? html;
  };
  const server = createServer((request, response) => {
    const number = /^\/a(\d+)$/.exec(request.url ?? "")?.[1];
    response.writeHead(number === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    response.end(number === undefined ? "<h1>Not here</h1>" : page(Number(number)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
  const places = [
    (/** @type {string} */ html) => html.replace("words about", "thoughts about"),
    (/** @type {string} */ html) => html.replace("Printed at", "Drawn at"),
    (/** @type {string} */ html) => html.replace("on server", "on machine"),
    (/** @type {string} */ html) => html.replace('"article":', '"item":'),
    (/** @type {string} */ html) => html.replace("was read", "was opened"),
    (/** @type {string} */ html) => html.replace('name="q"', 'name="query"'),
    (/** @type {string} */ html) => html.replace(">Carla Conti<", ">Carla Corti<"),
    (/** @type {string} */ html) => html.replace("/style.css", "/styles.css"),
    (/** @type {string} */ html) => html.replace("Example Press", "Example Post"),
    (/** @type {string} */ html) => html.replace("neither more nor less", "no more"),
  ];
  return {
    name: "generated site",
    url,
    pages: Array.from({ length: count }, (_, number) => `${url}a${number}`),
    edit: (number, seed) => void edits.set(number, places[seed % places.length] ?? ((html) => html)),
    newYear: () => void (year += 1),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
