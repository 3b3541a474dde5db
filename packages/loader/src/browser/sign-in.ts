import { AppError } from "@web-tester/contracts/errors";
import type { StoredLogin } from "@web-tester/contracts/login-steps";
import { portOf } from "@web-tester/platform/egress/address-policy";
import type { CDPSession, Page, Request } from "playwright-core";
import type { BrowserPage } from "./browser-pool.js";
import { declineAll } from "./decline-passwords.js";
import { describeNavigation } from "./describe-navigation.js";
import { maskOf, type SecretMask } from "../mask-secrets.js";
import type { SessionState } from "../session-state.js";
import { drawTiny, type Visitor } from "./visitor.js";

/** The result of one step. */
export interface FollowedStep {
  ok: boolean;
  message: string | null;
  url: string;
  /** PNG of the window after the step; null where none was wanted, or none could be taken. */
  picture: Buffer | null;
}

/** Shorter values stand in addresses by chance. */
const filledMinChars = 4;
const openMs = 30_000;
const stepMs = 10_000;
/** The time for what a step sets off to come to rest. */
const restMs = 5_000;

/**
 * Follows the login steps that a person recorded, in an empty tab, up to the first step that fails.
 * @param visitor that of the tab
 * @returns the result of each step that was taken, and the session; null where a step failed
 */
export async function signIn(
  tab: BrowserPage,
  steps: StoredLogin,
  { visitor, withPictures }: { visitor: Visitor; withPictures: boolean },
): Promise<{ followed: FollowedStep[]; state: SessionState | null }> {
  const { page, cdp } = tab;
  const followed: FollowedStep[] = [];
  const hide = filledMask(steps);
  const unopened = watchUnopened(tab);
  const stopDeclining = tab.asksForPasswords ? await declineAll(tab) : null;
  // drawn in full size, so that clicks hit their targets
  await drawTiny(cdp, visitor, 1);
  try {
    for (const step of steps) {
      const fault = await follow(page, step).then(() => null, wordsOf(step));
      // a click may lead to a page that does not open
      const closed = unopened.now(step.do === "open" && fault !== null);
      const message = closed?.message ?? fault;
      const picture = withPictures ? await page.screenshot({ type: "png", timeout: restMs }).catch(() => null) : null;
      followed.push({ ok: message === null, message, url: hide(closed?.url ?? page.url()), picture });
      if (message !== null) return { followed, state: null };
    }
    return { followed, state: await readState(page, steps) };
  } finally {
    unopened.stop();
    await stopDeclining?.();
    await drawTiny(cdp, visitor).catch(() => undefined); // the tab may be gone
  }
}

/** Watches for an address that the tab could not open. */
function watchUnopened({ page, proxyListener }: BrowserPage) {
  let last: Request | null = null;
  const failed = (request: Request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) last = request;
  };
  page.on("requestfailed", failed);
  return {
    /**
     * The address that was not opened, and in words why; null where the tab shows a page.
     * @param isKnown that it was not opened: Chromium shows its own page of the error a moment later
     */
    now(isKnown: boolean): { url: string; message: string } | null {
      const netError = last?.failure()?.errorText.replace(/^net::/, "") ?? "ERR_ABORTED";
      // aborted: a download, or an answer without content
      if (last === null || netError === "ERR_ABORTED") return null;
      if (!isKnown && !page.url().startsWith("chrome-error:")) return null;
      const url = new URL(last.url());
      const refused = proxyListener.failureOf(url.hostname, portOf(url));
      return { url: url.href, message: (refused ?? describeNavigation(netError, url.host, undefined)).message };
    },
    stop: () => void page.off("requestfailed", failed),
  };
}

/** Masks what is filled in: a form that is sent by GET has it in the next address. */
function filledMask(steps: StoredLogin): SecretMask {
  return maskOf(
    steps.flatMap((step) => (step.do === "fill" && step.value.length >= filledMinChars ? [step.value] : [])),
  );
}

async function follow(page: Page, step: StoredLogin[number]): Promise<void> {
  switch (step.do) {
    case "open":
      await page.goto(step.url, { waitUntil: "load", timeout: openMs });
      break;
    case "fill":
      await page.locator(`css=${step.selector}`).first().fill(step.value, { timeout: stepMs });
      return;
    case "click":
      await page.locator(`css=${step.selector}`).first().click({ timeout: stepMs });
      break;
    case "wait":
      await page.locator(`css=${step.selector}`).first().waitFor({ state: "visible", timeout: stepMs });
      return;
  }
  await page.waitForLoadState("networkidle", { timeout: restMs }).catch(() => undefined); // some pages never rest
}

/** Describes a failed step. Playwright's own messages contain the call and its log, and what was filled in must not be shown. */
function wordsOf(step: StoredLogin[number]): (error: unknown) => string {
  return (error) => {
    const text = error instanceof Error ? error.message : String(error);
    if (step.do === "open") {
      const net = /net::(ERR_\w+)/.exec(text)?.[1];
      return net === undefined
        ? `${step.url} did not open within ${openMs / 1000} s.`
        : `${step.url} did not open (${net}).`;
    }
    if (/selector|Unexpected token/i.test(text) && !/Timeout/.test(text))
      return `“${step.selector}” is not a CSS selector.`;
    const verb = { fill: "be filled in", click: "be clicked", wait: "be seen" }[step.do];
    return `Nothing that “${step.selector}” finds could ${verb} in time.`;
  };
}

async function readState(page: Page, steps: StoredLogin): Promise<SessionState> {
  const [first] = steps;
  const cookies = await page.context().cookies();
  const origin = URL.parse(page.url())?.origin ?? "null";
  const stored: unknown = await page.evaluate("JSON.stringify(Object.entries(localStorage))").catch(() => "[]");
  const items = JSON.parse(String(stored)) as [string, string][];
  return {
    loginUrl: first?.do === "open" ? first.url : "",
    cookies: cookies.map(({ name, value, domain, path, expires, httpOnly, secure, sameSite }) => ({
      ...{ name, value, domain, path, expires, httpOnly, secure, sameSite },
    })),
    storage: items.length === 0 || origin === "null" ? [] : [{ origin, items }],
  };
}

/**
 * Gives an empty tab a session. Its cookies are removed when the tab is emptied.
 * @returns a function to be called when the page is done
 * @throws AppError internal where Chromium refuses
 */
export async function bringSession(cdp: CDPSession, { cookies, storage }: SessionState): Promise<() => Promise<void>> {
  try {
    if (cookies.length > 0)
      await cdp.send("Network.setCookies", {
        cookies: cookies.map(({ expires, ...cookie }) => (expires === -1 ? cookie : { ...cookie, expires })),
      });
  } catch (error) {
    throw new AppError("internal", "The browser did not take the cookies of the login.", { cause: error });
  }
  if (storage.length === 0) return async () => undefined;
  const source = `for (const { origin, items } of ${JSON.stringify(storage)})
    if (location.origin === origin) for (const [key, value] of items) if (localStorage.getItem(key) === null) localStorage.setItem(key, value);`;
  const { identifier } = await cdp.send("Page.addScriptToEvaluateOnNewDocument", { source });
  return async () => {
    await cdp.send("Page.removeScriptToEvaluateOnNewDocument", { identifier }).catch(() => undefined); // the tab may be gone
  };
}
