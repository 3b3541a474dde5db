import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { launchBrowser, openScreen, type Screen } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";
import { walkControls } from "../support/walk-controls.js";

/** The screens of tokens, share links and the list of who changed what; and what somebody with fewer rights sees. */
const stage = createStage();
const { said, button } = stage;
let product: Product;
let site: Site;
let browser: Browser;
/** Ids of the things whose screens are opened. */
const at = { object: "", instance: "", older: "", newer: "", run: "" };
const secrets = { admin: "", viewer: "" };
let viewer: Screen;

const dialog = () => stage.page.getByRole("dialog");
const rows = (name: string) => stage.page.getByRole("list", { name, exact: true }).getByRole("listitem");
const secret = async () => (await dialog().locator("[data-secret]").textContent()) ?? "";

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": `<title>Home</title><a href="/a">a</a>`, "/a": "<title>A</title><p>One</p>" }),
    launchBrowser(),
  ]);
  at.object = await register(product, site.url, "The shop");
  await crawl(product, at.object);
  await fetchAll(product, at.object);
  site.pages.set("/a", "<title>A</title><p>Two</p>");
  await fetchAll(product, at.object);
  const [run] = (await product.rest.call("listRuns", { params: { id: at.object } })).items;
  const pages = await product.rest.call("listReviewPages", {
    params: { id: run?.id ?? "" },
    query: { kind: "changed" },
  });
  const [page] = pages.items;
  Object.assign(at, {
    run: run?.id,
    instance: page?.instance.id,
    older: page?.compared_with,
    newer: page?.snapshot_id,
  });
  await product.rest.call("createSchedule", {
    params: { id: at.object },
    body: { work: "fetch", time: { type: "every", minutes: 1_440 } },
  });
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  // the next tests that share the product must find it open, as it was
  if (secrets.admin !== "") await revokeAll();
  await product.stop();
  await site.close();
});

async function revokeAll(): Promise<void> {
  const headers = { authorization: `Bearer ${secrets.admin}` };
  const answer = await fetch(`${product.address}/api/tokens`, { headers });
  if (!answer.ok) return;
  const { items } = (await answer.json()) as { items: { id: string; role: string; state: string }[] };
  for (const { id } of items.filter(({ state }) => state === "active").toSorted((a) => (a.role === "admin" ? 1 : -1)))
    await fetch(`${product.address}/api/tokens/${id}`, { method: "DELETE", headers });
}

describe("tokens", () => {
  test("the first one is an admin's, says what it means, and signs this browser in", async () => {
    await stage.page.goto("/access");
    await expectSeen(said("No token is required"));
    await expectSeen(said("No tokens yet"));
    await button("Make Token").click();
    await expectSeen(dialog().getByText(/^This locks the server/));
    expect(await dialog().getByRole("radio", { name: "Viewer", exact: true }).isDisabled()).toBe(true);
    await dialog().getByRole("button", { name: "Make Token" }).click();
    await expectSeen(said("Enter a name."));
    await dialog().getByLabel("Name").fill("Ada");
    await dialog().getByRole("button", { name: "Make Token" }).click();
    await expectSeen(dialog().getByText(/^wt_/));
    secrets.admin = await secret();
    await dialog().getByRole("button", { name: "Sign in with it" }).click();
    await expectGone(dialog());
    await until("one token", async () => (await rows("Tokens").count()) === 1);
    expect(await rows("Tokens").first().innerText()).toMatch(/Ada\s+Admin[^]*No end date/);
    await expectGone(said("No token is required"));
  });

  test("another one has a role, an end, and its secret is shown once", async () => {
    await button("Make Token").click();
    await dialog().getByLabel("Name").fill("Vera");
    await dialog().getByRole("radio", { name: "Viewer", exact: true }).check();
    await dialog().getByRole("button", { name: "Make Token" }).click();
    await expectSeen(dialog().getByText(/^wt_/));
    secrets.viewer = await secret();
    await dialog().getByRole("button", { name: "Done" }).click();
    await until("two tokens", async () => (await rows("Tokens").count()) === 2);
    await expectSeen(
      rows("Tokens")
        .filter({ hasText: "Vera" })
        .getByText(/Ends in 3 months|Ends in \d+ (days|weeks|months)/),
    );
    expect(await stage.page.content()).not.toContain(secrets.viewer);
    const kept = await product.db.query<{ row: string }>(`SELECT t::text AS row FROM api_token t`);
    expect(kept.map(({ row }) => row).join()).not.toContain(secrets.viewer.slice(3));
  });
});

describe("share links", () => {
  let link = "";
  let guest: Screen;

  test("one is made of a difference and listed", async () => {
    await stage.page.goto(`/diff?a=${at.older}&b=${at.newer}`);
    await button("Share…").click();
    await expectSeen(dialog().getByText("There are none."));
    await dialog().getByLabel("For whom").fill("The agency");
    await dialog().getByRole("button", { name: "Make Link" }).click();
    await expectSeen(dialog().locator("[data-secret]"));
    link = await secret();
    expect(link).toMatch(/^http:\/\/[^/]+\/shared#wts_[\w-]{43}$/);
    await expectSeen(rows("Links of this").getByText("The agency").or(dialog().getByText("The agency")));
  });

  test("whoever opens it sees the difference, read-only, by whom and until when, and nothing that fails", async () => {
    guest = await openScreen(browser, product.address);
    await guest.page.goto(link);
    await expectSeen(guest.page.getByText(/^Shared by Ada until \d\d\.\d\d\.\d{4} \d\d:\d\d, read-only: /));
    await expectSeen(guest.page.getByRole("region", { name: "Differences" }));
    expect(new URL(guest.page.url()).pathname).toBe("/shared/diff");
    const { pathname, search } = new URL(guest.page.url());
    const used = await walkControls(guest.page, pathname + search);
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((name) => /Ignore|Swap|Share|Compare/.test(name))).toEqual([]);
    expect({ problems: guest.problems, refused: guest.refused }).toEqual({ problems: [], refused: [] });
  });

  test("it opens nothing else, and says so", async () => {
    await guest.page.goto(`/shared/objects/${at.object}`);
    await expectSeen(guest.page.getByText("The link does not show this"));
    await guest.page.goto(`/shared/snapshots/${at.newer}`);
    await expectSeen(guest.page.getByRole("heading", { name: "Snapshot 2" }));
    expect(guest.refused).toEqual([]);
  });

  test("once it was ended it says so in words", async () => {
    await dialog()
      .getByRole("button", { name: /^End the link/ })
      .click();
    await expectSeen(dialog().getByText("There are none."));
    await guest.page.goto("/shared");
    await expectSeen(guest.page.getByText(/^This link was ended on \d\d\.\d\d\.\d{4}/));
    await guest.page.goto(`/shared#wts_${"x".repeat(43)}`);
    await guest.page.reload();
    await expectSeen(guest.page.getByText("There is no such link"));
    await guest.page.context().close();
  });

  test.each([
    ["a review", () => `/runs/${at.run}/review`, "/runs/"],
    ["a snapshot", () => `/snapshots/${at.newer}`, "/snapshots/"],
  ])("%s is shared as well, and what fails there is nothing", async (_what, path, shown) => {
    await stage.page.goto(path());
    await button("Share…").click();
    await dialog().getByRole("button", { name: "Make Link" }).click();
    await expectSeen(dialog().locator("[data-secret]"));
    const own = await openScreen(browser, product.address);
    await own.page.goto(await secret());
    await expectSeen(own.page.getByText(/^Shared by Ada until /));
    await until("what is shared", () => new URL(own.page.url()).pathname.startsWith(`/shared${shown}`));
    await walkControls(own.page, new URL(own.page.url()).pathname);
    expect({ problems: own.problems, refused: own.refused }).toEqual({ problems: [], refused: [] });
    await own.page.context().close();
  });
});

describe("a viewer", () => {
  const screens = (): string[] => [
    ...["/", "/schedules", "/notifications", "/import-export", "/checks", "/access", "/access/changes"],
    ...["", "/rules", "/schedules", "/compare", "/lifecycle", "/checks"].map((part) => `/objects/${at.object}${part}`),
    ...[`/instances/${at.instance}`, `/snapshots/${at.newer}`, `/runs/${at.run}/review`],
    `/diff?a=${at.older}&b=${at.newer}`,
  ];
  const forbidden = (screen: Screen) => screen.refused.filter((answer) => answer.startsWith("403"));

  beforeAll(async () => {
    viewer = await openScreen(browser, product.address);
    await viewer.page.goto("/sign-in");
    await viewer.page.getByLabel("Token", { exact: true }).fill(secrets.viewer);
    await viewer.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await viewer.page.waitForURL("**/");
  });

  test("a control that needs more is refused and says why, on hover and on focus", async () => {
    await viewer.page.goto(`/objects/${at.object}`);
    const crawling = viewer.page.getByRole("button", { name: "Crawl", exact: true });
    await expectSeen(crawling.and(viewer.page.locator("[aria-disabled=true]")));
    const reason = viewer.page.getByRole("tooltip");
    await crawling.hover();
    expect(await reason.textContent()).toBe("Needs the role Operator; yours is Viewer.");
    await viewer.page.mouse.move(0, 0);
    await expectGone(reason);
    await crawling.focus();
    await expectSeen(reason);
    await viewer.page.keyboard.press("Enter");
    expect(await crawling.textContent()).toBe("Crawl");
  });

  test("no enabled control of any screen leads to a refusal", async () => {
    const led: Record<string, string[]> = {};
    for (const path of screens()) {
      viewer.refused.length = 0;
      const used = await walkControls(viewer.page, path);
      // the screens of lists that only admins may read say so themselves
      const answers = forbidden(viewer).filter((answer) => !/ \/api\/(tokens|audit)$/.test(answer));
      if (answers.length > 0) led[path] = [...answers, ...used];
    }
    expect(led).toEqual({});
    // a few hundred controls, each used on its screen as it is then
  }, 600_000);

  test("positive control: where the screens take a viewer for an admin, they lead to refusals", async () => {
    await viewer.page.route("**/api/session", (route) =>
      route.fulfill({
        json: {
          open: false,
          actor: { kind: "token", name: "Vera", role: "admin", signed_in: true, until: null },
          provider: null,
        },
      }),
    );
    viewer.refused.length = 0;
    await walkControls(viewer.page, `/objects/${at.object}/checks`);
    expect(forbidden(viewer)).toEqual(expect.arrayContaining([`403 /api/testobjects/${at.object}/badge`]));
  });
});

describe("who changed what", () => {
  test("is listed in words, with who and when, and filtered by address", async () => {
    await stage.page.goto("/access/changes");
    await expectSeen(rows("Changes").getByText("Made a share link"));
    await expectSeen(rows("Changes").getByText("The shop"));
    await stage.page.getByLabel("Who", { exact: true }).fill("Vera");
    await until("the filter in the address", () => stage.query()["who"] === "Vera");
    await until("her changes alone", async () => {
      const texts = await rows("Changes").allInnerTexts();
      return texts.length > 0 && texts.every((text) => text.includes("Vera"));
    });
    await stage.page.reload();
    await expectSeen(rows("Changes").getByText("Vera"));
    await button("Show all").click();
    await expectSeen(rows("Changes").getByText("Made a token"));
  });

  test("is taken away as a file", async () => {
    await button("Export").click();
    const [file] = await Promise.all([
      stage.page.waitForEvent("download"),
      stage.page.getByRole("menuitem", { name: "As CSV" }).click(),
    ]);
    const text = await readFile(await file.path(), "utf8");
    expect(text).toMatch(/^at,actor,/);
    expect(text).toContain("createShare");
    expect(text).not.toContain(secrets.viewer);
  });
});

test("a revoked token opens nothing any more, at once; without the last one the server is open again", async () => {
  await viewer.page.unrouteAll();
  await viewer.page.goto("/");
  await expectSeen(viewer.page.getByRole("link", { name: "The shop" }));
  await stage.page.goto("/access");
  await button("Revoke Vera").click();
  await dialog().getByRole("button", { name: "Revoke token" }).click();
  await expectSeen(rows("Tokens").filter({ hasText: "Vera" }).getByText("revoked", { exact: true }));
  await viewer.page.goto("/");
  await expectSeen(viewer.page.getByRole("dialog", { name: "API access" }));
  await button("Revoke Ada").click();
  await dialog().getByRole("button", { name: "Revoke token" }).click();
  await expectSeen(said("No token is required"));
  secrets.admin = "";
});
