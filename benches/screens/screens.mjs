// @ts-check
import { waitFor } from "../lib/wait-for.mjs";

/**
 * @typedef {object} Sample the sample site, crawled once and fetched twice: the ids that the screens show
 * @property {string} objectId
 * @property {string} instanceId a page that changed
 * @property {string} older its first snapshot
 * @property {string} newer its second one, which differs
 * @property {string} runId the second fetch
 */

/**
 * @typedef {object} ScreenToShow
 * @property {string} name in file names
 * @property {(sample: Sample) => string} address
 * @property {string} ready text that is on the screen once it is complete
 * @property {(page: import("playwright-core").Page, say: (english: string) => string) => Promise<void>} [act] what a
 *   person does there before the picture is taken; `say`: returns a text of the screen in the language that it is shown in
 * @property {boolean} [missing] whether the server answers with errors
 */

const oldList = "<ul>\n  <li>Assam</li>\n  <li>Sencha</li>\n  <li>Oolong</li>\n</ul>\n";
const newList = "<ul>\n  <li>Assam</li>\n  <li>Sencha Midori</li>\n  <li>Oolong</li>\n  <li>Rooibos</li>\n</ul>\n";
const nobody = "019a0000-0000-7000-8000-000000000000";

/** An empty product, as a newcomer sees it. @type {ScreenToShow} */
export const emptyHome = { name: "empty", address: () => "/", ready: "No test objects yet" };

/**
 * Every screen of the product with the sample site in it, and the dialogs and menus over screens.
 * @type {readonly ScreenToShow[]}
 */
export const screens = [
  { name: "home", address: () => "/", ready: "1 object shown" },
  { name: "object", address: ({ objectId }) => `/objects/${objectId}`, ready: "instances shown" },
  { name: "search", address: ({ objectId }) => `/objects/${objectId}/search?q=Sencha`, ready: "pages shown" },
  { name: "instance", address: ({ instanceId }) => `/instances/${instanceId}`, ready: "First snapshot" },
  { name: "snapshot", address: ({ newer }) => `/snapshots/${newer}`, ready: "SHA-256", act: framesLoaded },
  { name: "render", address: ({ newer }) => `/snapshots/${newer}/render`, ready: "Snapshot 2", act: framesLoaded },
  { name: "diff", address: ({ older, newer }) => `/diff?a=${older}&b=${newer}&view=split`, ready: "Unchanged Lines" },
  {
    name: "diff-visual",
    address: ({ older, newer }) => `/diff/visual?a=${older}&b=${newer}`,
    ready: "of pixels differ",
  },
  {
    name: "diff-bulk",
    address: ({ objectId }) => `/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`,
    ready: "pages differ",
  },
  {
    name: "diff-anything",
    address: () => "/diff-anything",
    ready: "Content A",
    act: async (page, say) => {
      await page.getByLabel(say("Content {side}").replace("{side}", "A"), { exact: true }).fill(oldList);
      await page.getByLabel(say("Content {side}").replace("{side}", "B"), { exact: true }).fill(newList);
      await page.getByRole("button", { name: say("Compare"), exact: true }).click();
      await page.getByRole("region", { name: say("Differences") }).waitFor();
    },
  },
  {
    name: "format-html",
    address: () => "/format-html",
    ready: "HTML Formatter",
    act: async (page, say) => {
      await page.getByLabel(say("HTML"), { exact: true }).fill(newList.replaceAll(/\n\s*/g, ""));
      await page.getByRole("button", { name: say("Format"), exact: true }).click();
      await page.getByRole("button", { name: say("Copy"), exact: true }).waitFor();
    },
  },
  { name: "import-export", address: () => "/import-export", ready: "No imports yet" },
  { name: "imprint", address: () => "/imprint", ready: "Imprint" },
  { name: "privacy", address: () => "/privacy", ready: "Analytics and tracking" },
  { name: "not-found", address: () => "/no/such/screen", ready: "Page not found" },
  { name: "missing-snapshot", address: () => `/snapshots/${nobody}`, ready: "Snapshot not found.", missing: true },
  {
    name: "console",
    address: () => "/",
    ready: "1 object shown",
    act: async (page, say) => {
      await page.getByRole("button", { name: say("Console") }).click();
      await page
        .getByRole("log", { name: say("Job lines") })
        .getByRole("listitem")
        .first()
        .waitFor();
    },
  },
  {
    name: "confirmation",
    address: ({ objectId }) => `/objects/${objectId}`,
    ready: "instances shown",
    act: async (page, say) => {
      await page.getByRole("button", { name: say("More"), exact: true }).click();
      await page.getByRole("menuitem", { name: say("Delete object") }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: say("Delete object") })
        .waitFor();
    },
  },
  {
    name: "palette",
    address: () => "/imprint",
    ready: "Imprint",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("textbox").fill("sam");
      await page.getByRole("dialog").getByText("Sample site").first().waitFor();
    },
  },
];

/** @param {import("playwright-core").Page} page */
async function framesLoaded(page) {
  await page.locator("iframe").first().contentFrame().locator("body *").first().waitFor();
}

/**
 * Registers the product's own sample site, crawls it and fetches its pages twice.
 * @param {import("../lib/rest-client.mjs").RestClient} rest
 * @param {AbortSignal} signal
 * @returns {Promise<Sample>}
 */
export async function prepareSample(rest, signal) {
  const { id } = await rest.call("createSample", { body: {} });
  const params = { id };
  await rest.call("crawl", { params });
  await settled(rest, id, signal);
  for (let round = 0; round < 2; round += 1) {
    await rest.call("snapshotAll", { params });
    await settled(rest, id, signal);
  }
  const { items } = await rest.call("listTestInstances", { params, query: { limit: 1000, offset: 0 } });
  const page = items.find(({ name }) => name.startsWith("Our teas"));
  if (page === undefined) throw new Error("The sample site has no page of teas");
  const [newer, older] = await waitFor(
    async () => {
      const { testsnapshots } = await rest.call("getTestInstance", { params: { id: page.id } });
      return testsnapshots.length === 2 && testsnapshots[0]?.compared_with != null ? testsnapshots : undefined;
    },
    { what: "the comparison of two snapshots", timeoutMs: 60_000, signal },
  );
  if (newer === undefined || older === undefined) throw new Error("Two snapshots were expected");
  const runs = (await rest.call("listRuns", { params })).items;
  const run = runs.find(({ kind }) => kind === "snapshot-all");
  return { objectId: id, instanceId: page.id, older: older.id, newer: newer.id, runId: run?.id ?? "" };
}

/**
 * Waits until nothing runs any more.
 * @param {import("../lib/rest-client.mjs").RestClient} rest
 * @param {string} objectId
 * @param {AbortSignal} signal
 */
async function settled(rest, objectId, signal) {
  await waitFor(
    async () => {
      const object = (await rest.call("listTestObjects")).find(({ id }) => id === objectId);
      const progress = Object.values(object?.progress ?? {});
      return progress.length > 0 && progress.every(({ running }) => !running) ? true : undefined;
    },
    { what: "the end of a run", timeoutMs: 120_000, signal },
  );
}
