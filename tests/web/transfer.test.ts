import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser, openScreen, type Screen } from "../support/browser.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { exportFile } from "../support/transfer.js";

/** The import and export screen as a person meets it, in a real Chromium. */
let product: Product;
let browser: Browser;
let screen: Screen;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
  screen = await openScreen(browser, product.address);
  await screen.page.goto("/import-export");
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

const seen = (words: string) => screen.page.getByText(words, { exact: true }).first().waitFor();
const press = (name: string) => screen.page.getByRole("button", { name, exact: true }).click();
const choose = (name: string, content: string) =>
  screen.page
    .getByLabel("Import file")
    .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
const file = JSON.stringify({
  testObjects: [{ id: 1, name: "Shop", url: "https://shop.example/", auth_password_set: true }],
  testInstances: [{ id: 1, name: "Start", url: "https://shop.example/", testobject_id: 1 }],
  testSnapshots: [
    { id: 1, testinstance_id: 1, html: "<p>one", created_at: "2026-01-01T00:00:00Z" },
    { id: 2, testinstance_id: 1, html: "<p>two", created_at: "2026-01-02T00:00:00Z" },
  ],
});

test("says every word of the specification, from no file to the file that comes back", async () => {
  await seen("No imports yet");
  await press("Import");
  await seen("No file selected.");
  await choose("broken.json", '{"testObjects": [');
  await seen("Invalid JSON file.");
  await choose("shop.json", file);
  await seen("File parsed: 1 object, 1 instance, 2 snapshots");
  await press("Import");
  await seen("Import successful");
  await seen("Imported: 1 object, 1 instance, 2 snapshots");
  await seen("1 object, 1 instance, 2 snapshots new");
  await screen.page
    .getByRole("list", { name: "To do" })
    .getByText("“Shop”: the password has to be entered again under Options; exports do not contain passwords.")
    .waitFor();

  // an import of things that exist already is not shown as a success
  await choose("again.json", file);
  await press("Import");
  await screen.page
    .getByRole("status")
    .filter({ hasText: /^Info\s*Imported: 0 objects, 0 instances, 0 snapshots/ })
    .waitFor();

  await choose("faulty.json", file.replace("https://shop.example/", "shop.example"));
  await press("Import");
  await screen.page
    .getByRole("cell", { name: /^url: Enter a full URL/ })
    .first()
    .waitFor();
  // the size is that of the whole file, however little of it was read
  await screen.page
    .getByRole("listitem")
    .filter({ hasText: /faulty\.json\s*\d{3} B/ })
    .waitFor();

  await choose("again.json", file);
  await screen.page.getByRole("switch", { name: "Import in the background" }).check();
  await press("Import");
  await screen.page.getByText(/^Import enqueued: [0-9a-f-]{36}$/).waitFor();

  const coming = screen.page.waitForEvent("download");
  await press("Export JSON");
  await seen("Export downloaded");
  const download = await coming;
  expect(download.suggestedFilename()).toMatch(/^web-tester-export-.+\.json$/);
  const exported = exportFile.parse(JSON.parse(await readFile(await download.path(), "utf8")));
  expect([exported.testObjects.length, exported.testSnapshots.length]).toEqual([1, 2]);
  await screen.photograph("import-export");
  expect(screen.problems).toEqual([]);
  expect(screen.refused).toEqual(["400 /api/import"]);
});

test("tells screen readers how far an import is, and that it has ended", async () => {
  const { page } = screen;
  const zero = { objects: 0, instances: 0, snapshots: 0 };
  const job = {
    ...{
      id: "0199f3a0-0000-7000-8000-000000000001",
      name: "big.json",
      state: "reading",
      bytes: 512,
      bytes_total: 1024,
    },
    ...{ total: 0, completed: 0, imported: zero, existing: zero, faults: [], faults_total: 0, error: null, notes: [] },
    ...{ created_at: "2026-01-01T00:00:00.000Z", finished_at: null as string | null },
  };
  await page.route("**/api/import*", (route) => route.fulfill({ json: { items: [job] } }));
  await page.goto("/import-export");
  const said = page.locator("[role=status].sr-only");
  await said.getByText("big.json, Reading: 512 of 1,024 bytes.").waitFor();
  Object.assign(job, { state: "finished", bytes: 1024, finished_at: "2026-01-01T00:00:10.000Z" });
  await said.getByText("big.json, Finished.").waitFor();
  expect(await said.textContent()).toBe("big.json, Finished.");
  await page.unrouteAll();
  // what had ended before is no news
  await page.reload();
  await page.getByText("Recent imports").waitFor();
  expect(await said.textContent()).toBe("");
});
