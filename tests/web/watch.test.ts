import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** The screens of schedules and notifications, in a real Chromium. */
const stage = createStage();
const { scene, said, button } = stage;
let product: Product;
let site: Site;
let receiver: Receiver;
let browser: Browser;
let objectId: string;

const dialog = () => stage.page.getByRole("dialog");
const rows = (name: string) => stage.page.getByRole("list", { name, exact: true }).getByRole("listitem");

beforeAll(async () => {
  [product, site, receiver, browser] = await Promise.all([
    // the receiver on this machine has a private address
    shareProduct(reachesLoopback),
    startSite({ "/": `<a href="/a">a</a>`, "/a": "<p>One</p>" }),
    startReceiver(),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
});

describe("schedules of an object", () => {
  test(
    "one is added, says in words when it is due, and home says what comes next",
    scene(async () => {
      await stage.page.goto(`/objects/${objectId}`);
      await button("More").click();
      await stage.page.getByRole("menuitem", { name: "Schedules" }).click();
      await expectSeen(said("No schedules yet"));
      await button("Add Schedule").click();
      await dialog().getByLabel("At", { exact: true }).fill("06:30");
      await expectSeen(dialog().getByText("Every day at 06:30"));
      await dialog().getByRole("button", { name: "Add", exact: true }).click();
      await until("one schedule", async () => (await rows("Schedules").count()) === 1);
      await expectSeen(rows("Schedules").getByText(/^Next: \d\d\.\d\d\.\d{4} \d\d:\d\d · /));
      await stage.page.goto("/");
      await expectSeen(stage.page.getByRole("link", { name: "The shop" }).first());
      await expectSeen(said("Next:"));
    }),
  );

  const refused: string[] = [];
  test(
    "what is no time is refused in words",
    scene(async () => {
      refused.push(`400 /api/testobjects/${objectId}/schedules/preview`);
      await stage.page.goto(`/objects/${objectId}/schedules`);
      await button("Add Schedule").click();
      await dialog().getByText("Cron", { exact: true }).click();
      await dialog().getByLabel("Cron expression").fill("61 * * * *");
      await expectSeen(
        dialog().getByText(/^The minute \(field 1 of 5\) cannot be “61”: allowed are numbers from 0 to 59/),
      );
      await dialog().getByRole("button", { name: "Cancel" }).click();
    }, refused),
  );

  test(
    "it is paused and deleted",
    scene(async () => {
      const isOn = stage.page.getByRole("switch", { name: "On: Fetch all pages" });
      await isOn.click({ force: true });
      await expectSeen(rows("Schedules").getByText("Paused", { exact: true }));
      await rows("Schedules").getByRole("button", { name: "Delete" }).click();
      await dialog().getByRole("button", { name: "Delete schedule" }).click();
      await expectSeen(said("No schedules yet"));
    }),
  );
});

describe("notifications", () => {
  test(
    "a webhook is added, its secret is shown once, and a test says what it answers",
    scene(async () => {
      await button("Notifications").click();
      await expectSeen(said("No channels yet"));
      await button("Add Channel").click();
      await dialog().getByRole("combobox", { name: "Kind" }).click();
      await stage.page.getByRole("option", { name: "Webhook, signed" }).click();
      await dialog().getByLabel("Name").fill("Build server");
      await dialog().getByLabel("Address").fill(`${receiver.url}/hook`);
      await dialog().getByRole("button", { name: "Add", exact: true }).click();
      await expectSeen(dialog().getByText(/^whsec_/));
      await stage.page.keyboard.press("Escape");
      await expectGone(dialog());
      await rows("Channels").getByRole("button", { name: "Test" }).click();
      await expectSeen(said("It arrived (204)"));
    }),
  );

  test(
    "a route is added, and what was sent is listed",
    scene(async () => {
      await button("Add Route").click();
      await dialog().getByRole("button", { name: "Add", exact: true }).click();
      await expectSeen(rows("Routes").getByText("Build server: all test objects"));
      site.pages.set("/a", "<p>Two</p>");
      await fetchAll(product, objectId);
      await until("the message", async () => receiver.of("/hook").length === 2);
      await stage.page.reload();
      await expectSeen(rows("Messages").getByText("The shop: 1 page changed"));
      await expectSeen(rows("Messages").getByText("Sent", { exact: true }));
    }),
  );

  test(
    "of one that is being sent it says when it is tried again",
    scene(async () => {
      const { items } = await product.rest.call("listDeliveries", { query: {} });
      // as where the gateway was killed meanwhile
      await product.db.query(
        "UPDATE delivery SET state = 'sending', lease_until = now() + interval '1 hour', next_at = now() + interval '1 hour' WHERE id = $1",
        [items[0]?.id],
      );
      await stage.page.reload();
      await expectSeen(rows("Messages").getByText(/tried again .* if this try has not ended by then/));
      await product.db.query("UPDATE delivery SET state = 'sent', lease_until = NULL, next_at = NULL WHERE id = $1", [
        items[0]?.id,
      ]);
    }),
  );

  test(
    "what is muted is told nothing",
    scene(async () => {
      await rows("Routes").getByRole("button", { name: "Mute for a day" }).click();
      await expectSeen(rows("Routes").getByText(/^Muted until/));
      site.pages.set("/a", "<p>Three</p>");
      await fetchAll(product, objectId);
      await until("the run to be told", async () => {
        const [row] = await product.db.query<{ untold: number }>(
          "SELECT count(*)::int AS untold FROM run WHERE NOT told",
        );
        return row?.untold === 0;
      });
      expect(receiver.of("/hook")).toHaveLength(2);
    }),
  );
});

describe("pages that came and went", () => {
  test(
    "one that moved takes its history along, which is undone on the screen",
    scene(async () => {
      site.pages.set("/", `<a href="/b">b</a>`);
      site.pages.set("/b", "<p>One</p>");
      site.pages.set("/a", (_, response) => void response.writeHead(301, { location: "/b" }).end());
      await crawl(product, objectId);
      const listed = async () =>
        (await product.rest.call("listLifecycle", { params: { id: objectId }, query: {} })).items;
      await until("the move to be seen", async () => (await listed()).some(({ can_undo: can }) => can));
      await stage.page.goto(`/objects/${objectId}`);
      await button("More").click();
      await stage.page.getByRole("menuitem", { name: "Pages that came and went" }).click();
      const list = rows("Pages that came and went");
      await expectSeen(list.getByText("/a → /b"));
      await button("Undo").click();
      await dialog().getByRole("button", { name: "Undo move", exact: true }).click();
      await expectSeen(list.getByText(/^redirected, undone/));
      await stage.page.getByLabel("Show").selectOption("gone");
      await expectSeen(said("Nothing of this kind"));
      await stage.page.goto(`/objects/${objectId}`);
      await expectSeen(said("moved"));
    }),
  );
});
