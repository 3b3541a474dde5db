import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createStage } from "../support/stage.js";

/**
 * Two people edit the same rule, schedule, channel or route. While its form is open here, another person changes something else of it:
 * both changes are kept.
 */
const stage = createStage();
const { scene } = stage;
let product: Product;
let browser: Browser;
let id: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
  id = await register(product, "http://127.0.0.1:9/", "The shop");
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** Opens the form of the row with these words. */
async function edit(row: string, title: string) {
  const { page } = stage;
  await page.getByRole("listitem").filter({ hasText: row }).getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: title, exact: true });
  await dialog.waitFor();
  return {
    fill: (label: string, value: string) => dialog.getByLabel(label).fill(value),
    save: async () => {
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    },
  };
}

test(
  "a schedule that another person paused stays paused",
  scene(async () => {
    const { id: schedule } = await product.rest.call("createSchedule", {
      params: { id },
      body: { work: "fetch", time: { type: "cron", cron: "0 6 * * *", time_zone: "UTC" } },
    });
    await stage.page.goto(`/objects/${id}/schedules`);
    const form = await edit("06:00", "Schedule");
    await form.fill("Delay by up to (minutes)", "7");
    const theirs = { paused: true, time: { type: "every", minutes: 600 } } as const;
    await product.rest.call("updateSchedule", { params: { id: schedule }, body: theirs });
    await form.save();
    const { items } = await product.rest.call("listSchedules", { params: { id } });
    expect(items).toMatchObject([{ ...theirs, jitter_minutes: 7 }]);
  }),
  60_000,
);

test(
  "a rule that another person switched off and narrowed stays so; what it ignores is saved as a whole",
  scene(async () => {
    const { id: rule } = await product.rest.call("createRule", {
      params: { id },
      body: { kind: "element", selector: ".clock" },
    });
    const stored = async () => (await product.rest.call("listRules", { params: { id } })).items;
    await stage.page.goto(`/objects/${id}/rules`);
    const noted = await edit(".clock", "Rule");
    await noted.fill("Note", "The clock");
    const theirs = { enabled: false, selector: "header .clock" };
    await product.rest.call("updateRule", { params: { id: rule }, body: theirs });
    await noted.save();
    expect(await stored()).toMatchObject([{ ...theirs, note: "The clock" }]);

    const narrowed = await edit("The clock", "Rule");
    await narrowed.fill("CSS selector", "footer .clock");
    await product.rest.call("updateRule", { params: { id: rule }, body: { pattern: "12:*", note: "Clocks" } });
    await narrowed.save();
    expect(await stored()).toMatchObject([{ selector: "footer .clock", pattern: null, note: "Clocks" }]);
  }),
  60_000,
);

test(
  "a channel keeps the name, and a route the mute, that another person gave it",
  scene(async () => {
    const { id: channel } = await product.rest.call("createChannel", {
      body: { kind: "email", name: "Team", to: ["a@example.org"] },
    });
    const { id: route } = await product.rest.call("createRoute", {
      body: { channel_id: channel, testobject_id: id, events: ["changed"] },
    });
    await stage.page.goto("/notifications");
    const channelForm = await edit("a@example.org", "Channel");
    await channelForm.fill("Name", "Night shift");
    await product.rest.call("updateChannel", { params: { id: channel }, body: { to: ["b@example.org"] } });
    await channelForm.save();
    const channels = (await product.rest.call("listChannels")).items.filter((one) => one.id === channel);
    expect(channels).toMatchObject([{ name: "Night shift", to: ["b@example.org"] }]);

    const routeForm = await edit("The shop", "Route");
    await routeForm.fill("Minimum changed pages", "5");
    const until = "2100-01-01T00:00:00.000Z";
    await product.rest.call("updateRoute", { params: { id: route }, body: { muted_until: until } });
    await routeForm.save();
    const routes = (await product.rest.call("listRoutes")).items.filter((one) => one.id === route);
    expect(routes).toMatchObject([{ min_pages: 5, muted_until: until }]);
  }),
  60_000,
);
