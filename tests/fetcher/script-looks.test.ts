import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createSites } from "../support/site.js";

/** Mode auto stores a page from the browser if scripts change how it looks, even without adding words; others as their server sent them. */
let product: Product;
const sites = createSites();

beforeAll(async () => {
  product = await shareProduct();
}, 240_000);
afterAll(async () => {
  await sites.close();
});

const text = "<p>A sentence that the server sent, as it stands here.</p>".repeat(40);
const page = (script: string, more = "", style = "") =>
  `<!doctype html><html><head><title>Looks</title><style>${style}</style></head><body><header><b>Name</b></header>${more}<main>${text}</main><script>${script}</script></body></html>`;
const svg = (size: number) =>
  `document.querySelector("header").insertAdjacentHTML("beforeend", '<svg width="${size}" height="${size}"><circle r="9"/></svg>')`;
/** Draws bars in a drawing that the server sent empty. */
const bars = `const chart = document.querySelector("#chart"); for (const at of [10, 60, 110]) { const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect"); for (const [name, value] of [["x", at], ["y", 20], ["width", 40], ["height", at]]) bar.setAttribute(name, value); chart.append(bar) }`;
const icons = '<svg width="16" height="16"><path d="M0 0h9v9"/></svg>'.repeat(4);
const hero = ".hero { height: 200px }";
const under =
  ".hero { height: 200px } .under.in { background: url(/hero.png) } .before.in-front::before { content: ''; display: block; height: 100px; background: url(/hero.png) }";
const seen = (name: string) =>
  `new IntersectionObserver((all) => all.forEach(({ target }) => target.classList.add("${name}"))).observe(document.querySelector(".hero"))`;
const dark = "html { background: #fff; color: #111 } html[data-theme=dark] { background: #111; color: #eee }";
const folded = ".fold { max-height: 0; overflow: hidden } .fold.open { max-height: none }";

const inBrowser: Record<string, string> = {
  "/drawing": page(svg(120)),
  "/filled-drawing": page(bars, `<svg id="chart" width="300" height="120"></svg>`),
  "/drawing-among-icons": page(svg(130), icons),
  "/formula": page(`document.querySelector("header").insertAdjacentHTML("beforeend", "<math><mi>x</mi></math>")`),
  "/frame": page(
    `document.querySelector("header").insertAdjacentHTML("beforeend", '<iframe src="/in-frame"></iframe>')`,
  ),
  "/modal": page(`document.querySelector("dialog").showModal()`, "<dialog><button>Yes</button></dialog>"),
  "/painted": page(
    `document.querySelector(".hero").style.backgroundImage = "url(/hero.png)"`,
    "<div class=hero></div>",
    hero,
  ),
  "/painted-by-class": page(seen("in"), `<div class="hero under"></div>`, under),
  "/painted-before": page(seen("in-front"), `<div class="hero before"></div>`, under),
  "/dark": page(`document.documentElement.dataset.theme = "dark"`, "", dark),
  "/ground": page(`document.body.style.background = "navy"`),
  "/unfolded": page(`document.querySelector(".fold").classList.add("open")`, `<div class=fold>${text}</div>`, folded),
  "/font": page(
    `document.fonts.add(new FontFace("Own Font", "url(/own.woff2)"))`,
    "",
    "body { font-family: 'Own Font', serif }",
  ),
};
// these scripts differ in text from those above, because equal scripts are tried only once
const overHttp: Record<string, string> = {
  "/sign": page(svg(16).replace("document.", "document.body.")),
  "/drawing-sent": page(
    `for (const drawing of document.querySelectorAll("svg")) drawing.setAttribute("role", "img")`,
    `${icons}<svg width="300" height="120"><rect width="40" height="90"/></svg>`,
  ),
  "/not-painted": page(seen("met"), `<div class="hero met" style="background: url(/hero.png)"></div>`, under),
  "/light": page(`document.documentElement.setAttribute("data-theme", "light")`, "", dark),
  "/added": page(
    `document.body.prepend(document.createElement("div"))`,
    "<div class=one>First</div><div class=two>Second</div>",
    ".one { color: red } .two { color: green }",
  ),
  "/late": page(
    `document.body.querySelector(".hero").style.backgroundImage = "url(/hero.png)"`,
    `<div class=hero data-bg="/hero.png"></div>`,
    hero,
  ),
};

test("auto keeps a page as the browser shows it where scripts draw, cover, colour or unfold it, and over HTTP where it looks as its server sent it", async () => {
  const site = await sites.open({ ...inBrowser, ...overHttp, "/in-frame": "<p>In a frame" });
  const paths = [...Object.keys(inBrowser), ...Object.keys(overHttp)];
  const id = await register(product, site.url);
  await product.db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) u",
    [id, paths.map((path) => new URL(path, site.url).href)],
  );
  await fetchAll(product, id);
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
  const used = async (path: string) => {
    const item = items.find(({ url }) => new URL(url).pathname === path);
    const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id: item?.id ?? "" } });
    return [path, testsnapshots[0]?.fetch_mode_used];
  };
  expect(Object.fromEntries(await Promise.all(paths.map(used)))).toEqual(
    Object.fromEntries(paths.map((path) => [path, path in inBrowser ? "browser" : "http"])),
  );
}, 120_000);
