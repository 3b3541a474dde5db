import { expect } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { openScreen, type Screen } from "./browser.js";

/** A person in front of a browser: helpers to find things on the screen, by role and words. */
export interface Stage {
  /** Opens the product in a fresh profile; has to be called first. */
  open(browser: Browser, address: string): Promise<void>;
  readonly page: Page;
  /**
   * Wraps a test: saves a screenshot where it fails, and checks that nothing goes wrong on the page.
   * @param refusals expected answers of 4xx, as `404 /api/…`
   */
  scene(act: () => Promise<void>, refusals?: string[]): () => Promise<void>;
  said(text: string | RegExp): Locator;
  toast(text: string | RegExp): Locator;
  button(name: string): Locator;
  /** Rows of an object's instances. */
  rows(): Locator;
  /** The running operations on an object's page. */
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
