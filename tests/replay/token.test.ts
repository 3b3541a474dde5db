import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import type { Browser, FrameLocator } from "playwright-core";
import { file, png } from "../support/asset-site.js";
import { launchBrowser } from "../support/browser.js";
import { askByPages, followLink } from "../support/foreign-page.js";
import { type Product, startProduct } from "../support/product.js";
import { type Site, startSite } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/**
 * Stored pages where the API requires a token, which frames, pictures and stylesheets cannot send: they are opened by signed
 * addresses that expire, and by no others.
 */
const token = "open-Sesame-7";
const stage = createStage();
const home = `<!doctype html><title>The shop</title><link rel="stylesheet" href="/main.css"><h1>Wares</h1><img id="ware" src="/ware.png">`;
let product: Product;
let site: Site;
let browser: Browser;
let snapshot: TestSnapshot;
let instance: string;

const preview = (): FrameLocator => stage.page.frameLocator("iframe");
const status = async (address: string, headers: Record<string, string> = {}) =>
  (await fetch(product.address + address, { headers })).status;
const signed = { authorization: `Bearer ${token}` };

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(product.address + path, {
    method,
    headers: { ...signed, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([path, answer.ok]).toEqual([path, true]);
  return (await answer.json()) as Answer;
}

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    startProduct({ API_TOKEN: token }),
    startSite({ "/": home, "/main.css": file("text/css", "h1 { color: rgb(1, 2, 3) }") }),
    launchBrowser(),
  ]);
  site.pages.set("/ware.png", file("image/png", png(8, 8, 0x336699)));
  const { id } = await ask<{ id: string }>("POST", "/api/testobjects", { name: "The shop", url: site.url });
  await ask("PATCH", `/api/testobjects/${id}`, { fetch_mode: "http", asset_snapshots: true });
  await ask("POST", `/api/testobjects/${id}/snapshot-one`, {});
  const row = await until("the snapshot", async () => {
    const [found] = await product.db.query<{ id: string; instance: string }>(
      `SELECT s.id, i.id AS instance FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 AND s.state = 'done'`,
      [id],
    );
    return found;
  });
  instance = row.instance;
  snapshot = await ask<TestSnapshot>("GET", `/api/testsnapshots/${row.id}`);
  await stage.open(browser, product.address);
  await stage.page.addInitScript(
    (auth) => {
      // not in the frames, whose opaque origin has no storage
      if (self === top) localStorage.setItem("apiAuth", auth);
    },
    JSON.stringify({ enabled: true, mode: "bearer", token, headerName: "", headerValue: "" }),
  );
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await site?.close();
});

test("a page opens by its signed address or with the token, and not otherwise", async () => {
  const address = snapshot.render ?? "no address";
  const plain = `/api/testsnapshots/${snapshot.id}/render`;
  expect(address).toMatch(/[?&]expires=\d+&signature=/);
  expect([await status(address), await status(plain, signed)]).toEqual([200, 200]);
  const expired = address.replace(/expires=\d+/, "expires=1");
  const later = address.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 3_600}`);
  const other = address.replace(snapshot.id, "00000000-0000-7000-8000-000000000000");
  const forged = address.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  for (const refused of [plain, expired, later, other, forged, `${address}x`])
    expect([refused, await status(refused)]).toEqual([refused, 401]);
});

test("with a token set, too, pages of others are refused whatever they ask for, and a signed address opens", async () => {
  const { crossSite } = await askByPages(browser, product, site, "/api/testobjects");
  expect(Object.entries(crossSite).filter(([, answer]) => answer !== 403)).toEqual([]);
  expect(await followLink(browser, site, product.address + (snapshot.render ?? ""))).toBe(200);
  // nor does the token help a page of another site
  expect(await status("/api/testobjects", { ...signed, "sec-fetch-site": "cross-site" })).toBe(403);
  expect(await status("/api/testobjects", { ...signed, "sec-fetch-site": "same-origin" })).toBe(200);
});

test("so do its files, and the addresses in the page are those", async () => {
  const html = await (await fetch(product.address + (snapshot.render ?? ""))).text();
  const addresses = [...html.matchAll(/(?:src|href)="(\/api\/assets\/[^"]+)"/g)].map(([, at]) =>
    (at ?? "").replaceAll("&amp;", "&"),
  );
  expect(addresses).toHaveLength(2);
  for (const address of addresses) {
    expect(await status(address)).toBe(200);
    expect(await status(address.replace(/[?&]expires=.*$/, ""))).toBe(401);
    expect(await status(address.replace(/.{5}$/, "AAAAA"))).toBe(401);
  }
});

test("edited HTML is taken with the token only, and shown by an address of its own", async () => {
  const path = `/api/testsnapshots/${snapshot.id}/preview`;
  const post = { method: "POST", body: JSON.stringify({ html: "<h1>Mine</h1>" }) };
  const json = { "content-type": "application/json" };
  expect((await fetch(product.address + path, { ...post, headers: json })).status).toBe(401);
  const { render } = await ask<{ render: string }>("POST", path, { html: `${home}<p>Mine` });
  const shown = await fetch(product.address + render);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("<p>Mine")]);
  expect(shown.headers.get("content-security-policy")).toMatch(/^sandbox/);
  // the signature is for this text and opens no other one
  expect(await status(render.replace(/preview=.{6}/, "preview=000000"))).toBe(401);
});

test(
  "the screens show the preview, the whole page and edited HTML, stylesheet and picture in place",
  stage.scene(async () => {
    const isComplete = async (words: string) => {
      await expectSeen(preview().getByRole("heading", { name: words, exact: true }));
      // a heading is there before the stylesheet that its document names
      await until("the stylesheet", async () => {
        const color = await preview()
          .getByRole("heading")
          .evaluate((heading) => getComputedStyle(heading).color);
        return color === "rgb(1, 2, 3)" ? true : undefined;
      });
      await until("the picture", async () => {
        const width = await preview()
          .locator("#ware")
          .evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0));
        return width === 8 ? true : undefined;
      });
    };
    await stage.page.goto(`/snapshots/${snapshot.id}`);
    await isComplete("Wares");
    await stage.page.goto(`/snapshots/${snapshot.id}/render`);
    await isComplete("Wares");
    await stage.page.goto(`/instances/${instance}`);
    const card = stage.page.getByRole("article", { name: "Snapshot 1" });
    await card.getByRole("button", { name: /^HTML/ }).click();
    await card.getByRole("textbox", { name: "HTML of snapshot 1" }).fill(home.replace("Wares", "Edited wares"));
    await card.getByRole("button", { name: "Preview" }).click();
    await isComplete("Edited wares");
  }),
);
