import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createSites } from "../support/site.js";

let product: Product;
const sites = createSites();

beforeAll(async () => {
  product = await shareProduct();
}, 240_000);
afterAll(async () => {
  await sites.close();
});

const page = (script: string, head = "") =>
  `<!doctype html><title>Styled</title>${head}<main class="a">${"<p>A sentence that the server sent.</p>".repeat(20)}</main><aside>Beside it.</aside><script>${script}</script>`;
const rule = ".a p { color: navy; background: gold }";
const makes = (css: string) =>
  `document.head.append(document.createElement("style")); document.querySelector("head style:last-of-type").sheet.insertRule(${JSON.stringify(css)})`;

test("auto keeps a page as the browser shows it where scripts write its styles, and over HTTP where they style a part or what the server styled", async () => {
  const site = await sites.open({
    "/inserted": page(makes(rule)),
    "/written": page(`document.head.insertAdjacentHTML("beforeend", "<style>${rule}</style>")`),
    "/adopted": page(
      `const sheet = new CSSStyleSheet(); sheet.replaceSync("${rule}"); document.adoptedStyleSheets = [sheet]`,
      "<style>p { transition: all 1s }</style>",
    ),
    "/part": page(
      `document.body.append(Object.assign(document.createElement("style"), { textContent: "aside { color: red }" }))`,
    ),
    // what a framework does when it hydrates a page that its server rendered
    "/taken": page(`document.querySelector("style").remove(); ${makes(rule)}`, `<style>${rule}</style>`),
  });
  const paths = ["/inserted", "/written", "/adopted", "/part", "/taken"];
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
    return testsnapshots[0]?.fetch_mode_used;
  };
  expect(await Promise.all(paths.map(used))).toEqual(["browser", "browser", "browser", "http", "http"]);
});
