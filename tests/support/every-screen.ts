import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type ScreenToShow, screens } from "../../benches/screens/screens.mjs";

/** Translates a text of the screens. */
export type Say = (english: string) => string;

const catalogue = join(import.meta.dirname, "..", "..", "web", "src", "texts", "de.json");

/** Loads the texts of the screens by their English: the German ones, or the English ones unchanged. */
export async function textsIn(language: "en" | "de"): Promise<Say> {
  if (language === "en") return (english) => english;
  const german: Record<string, string> = JSON.parse(await readFile(catalogue, "utf8"));
  return (english) => german[english] ?? english;
}

const dialog = async (page: Page) => page.getByRole("dialog").first().waitFor();
const press =
  (name: string) =>
  async (page: Page, say: Say): Promise<void> => {
    await page
      .getByRole("button", { name: say(name), exact: true })
      .first()
      .click();
  };
const opens = (name: string) => async (page: Page, say: Say) => {
  await press(name)(page, say);
  await dialog(page);
};

/** Screens and dialogs without pictures in `docs/screens.md`. */
const others: readonly ScreenToShow[] = [
  { name: "review", address: ({ runId }) => `/runs/${runId}/review`, ready: "Kinds of change" },
  {
    name: "problem",
    address: ({ runId }) => `/runs/${runId}/review`,
    ready: "Kinds of change",
    act: opens("Problem…"),
  },
  { name: "share", address: ({ newer }) => `/snapshots/${newer}`, ready: "SHA-256", act: opens("Share…") },
  {
    name: "changed since",
    address: ({ objectId }) => `/objects/${objectId}?status=since`,
    ready: "changed",
  },
  {
    name: "options",
    address: ({ objectId }) => `/objects/${objectId}`,
    ready: "instances shown",
    act: async (page, say) => {
      await page
        .getByRole("button", { name: new RegExp(`^${say("Options")}`) })
        .first()
        .click();
      await page
        .getByRole("button", { name: say("Save"), exact: true })
        .first()
        .waitFor();
    },
  },
  { name: "rules", address: ({ objectId }) => `/objects/${objectId}/rules`, ready: "What does not count as a change" },
  {
    name: "rule",
    address: ({ objectId }) => `/objects/${objectId}/rules`,
    ready: "What does not count as a change",
    act: opens("Add Rule"),
  },
  { name: "schedules", address: ({ objectId }) => `/objects/${objectId}/schedules`, ready: "Add Schedule" },
  {
    name: "schedule",
    address: ({ objectId }) => `/objects/${objectId}/schedules`,
    ready: "Add Schedule",
    act: opens("Add Schedule"),
  },
  { name: "all schedules", address: () => "/schedules", ready: "Schedules" },
  { name: "whole site", address: ({ objectId }) => `/objects/${objectId}/compare`, ready: "Compare the whole site" },
  { name: "lifecycle", address: ({ objectId }) => `/objects/${objectId}/lifecycle`, ready: "Came and went" },
  { name: "checks", address: ({ objectId }) => `/objects/${objectId}/checks`, ready: "Checks" },
  { name: "notifications", address: () => "/notifications", ready: "Channels" },
  { name: "channel", address: () => "/notifications", ready: "Channels", act: opens("Add Channel") },
  { name: "access", address: () => "/access", ready: "Tokens" },
  { name: "who changed what", address: () => "/access/changes", ready: "Who changed what" },
  { name: "signing in", address: () => "/sign-in", ready: "You don't have to sign in" },
  {
    name: "palette that was closed",
    address: () => "/imprint",
    ready: "Imprint",
    act: async (page) => {
      await page.keyboard.press("Control+k");
      await dialog(page);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
  },
  {
    name: "keys",
    address: () => "/imprint",
    ready: "Imprint",
    act: async (page) => {
      await page.keyboard.press("?");
      await dialog(page);
    },
  },
];

/** Every screen and dialog, of a product that contains the sample site. */
export const everyScreen: readonly ScreenToShow[] = [...screens, ...others];
