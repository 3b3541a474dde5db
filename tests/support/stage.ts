import { expect } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { openScreen, type Screen } from "./browser.js";

/** A person in front of a browser: what is looked for on the screen, by role and words. */
export interface Stage {
  /** Opens the product in a fresh profile; nothing else works before. */
  open(browser: Browser, address: string): Promise<void>;
  readonly page: Page;
  /**
   * What a test does: leaves a picture where it fails; nothing may go wrong on the page meanwhile.
   * @param refusals answers of 4xx that belong to it, as `404 /api/…`
   */
  scene(act: () => Promise<void>, refusals?: string[]): () => Promise<void>;
  said(text: string | RegExp): Locator;
  toast(text: string | RegExp): Locator;
  button(name: string): Locator;
  /** Rows of an object's instances. */
  rows(): Locator;
  /** What runs, on an object's page. */
  runs(): Locator;
  /** The comparison itself. */
  differences(): Locator;
  path(): string;
  query(): Record<string, string>;
}

export const expectSeen = (locator: Locator) => locator.first().waitFor({ state: "visible" });
export const expectGone = (locator: Locator) => locator.first().waitFor({ state: "detached" });

export function createStage(): Stage {
  let opened: Screen | undefined;
  const screen = (): Screen => {
    if (opened === undefined) throw new Error("The stage was not opened");
    return opened;
  };
  const page = () => screen().page;
  return {
    open: async (browser, address) => {
      opened = await openScreen(browser, address);
    },
    get page() {
      return page();
    },
    scene:
      (act, refusals = []) =>
      async () => {
        const { problems, refused, photograph } = screen();
        problems.length = 0;
        refused.length = 0;
        try {
          await act();
          expect({ problems, refused }).toEqual({ problems: [], refused: refusals });
        } catch (error) {
          const picture = await photograph(expect.getState().currentTestName ?? "failure");
          const words = error instanceof Error ? error.message : String(error);
          throw new Error(`${words}\nPicture: ${picture}`, { cause: error });
        }
      },
    said: (text) => page().getByText(text),
    toast: (text) => page().getByRole("status").filter({ hasText: text }),
    button: (name) => page().getByRole("button", { name, exact: true }),
    rows: () => page().getByRole("list", { name: "Instances" }).getByRole("listitem"),
    runs: () => page().getByRole("region", { name: "Runs" }),
    differences: () => page().getByRole("region", { name: "Differences" }),
    path: () => new URL(page().url()).pathname,
    query: () => Object.fromEntries(new URL(page().url()).searchParams),
  };
}
