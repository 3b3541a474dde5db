import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { StoredLogin } from "@web-tester/contracts/login-steps";
import { signIn } from "@web-tester/loader/browser/sign-in";
import { usualVisitor } from "@web-tester/loader/browser/visitor";
import { type AddressPolicy, consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { type BrowserLoading, startBrowserLoading } from "../support/browser-loading.js";
import { type Site, startSite } from "../support/site.js";

/** A login that leads to an address which is not reached says why, as a page does. */
const guarded = createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [] });
const unguarded: AddressPolicy = { decide: () => ({ allowed: true }) };

let site: Site;
let other: Site;
let guardedBrowser: BrowserLoading;
let unguardedBrowser: BrowserLoading;

beforeAll(async () => {
  site = await startSite({});
  other = await startSite({ "/in": '<!doctype html><title>In</title><h1 id="hello">Hello</h1>' });
  site.pages.set("/login", `<!doctype html><title>Login</title><a id="go" href="${other.url}in">Go</a>`);
  guardedBrowser = startBrowserLoading({ policy: guarded });
  unguardedBrowser = startBrowserLoading({ policy: unguarded });
});
afterAll(async () => {
  await Promise.all([guardedBrowser.close(), unguardedBrowser.close(), site.close(), other.close()]);
});

const refused = expect.stringMatching(/^The address 127\.0\.0\.1 was refused: .*EGRESS_ALLOW/);

async function follow({ pool }: BrowserLoading, steps: StoredLogin) {
  const { followed } = await pool.withPage(
    {
      ...{ owner: "login", visitor: usualVisitor, deadlineMs: 60_000, signal: new AbortController().signal },
      grant: {
        ...{ consent: consentFor(new URL(site.url)), maxBytes: 1_000_000 },
        ...{ onOverBudget: () => undefined, enter: async () => () => undefined },
      },
    },
    (tab) => signIn(tab, steps, { visitor: usualVisitor, withPictures: false }),
  );
  return followed;
}

test("the first step, to an address that is refused", async () => {
  const steps: StoredLogin = [{ do: "open", url: `${other.url}in` }];
  expect(await follow(guardedBrowser, steps)).toMatchObject([{ ok: false, message: refused, url: `${other.url}in` }]);
  expect(other.requests).toEqual([]);
  // the control: without the guard the request arrives
  expect(await follow(unguardedBrowser, steps)).toMatchObject([{ ok: true, message: null, url: `${other.url}in` }]);
  expect(other.requests).toContain("/in");
});

test("a click that leads to such an address", async () => {
  const steps: StoredLogin = [
    { do: "open", url: `${site.url}login` },
    { do: "click", selector: "#go" },
    { do: "wait", selector: "#hello" },
  ];
  const opened = { ok: true, message: null };
  expect(await follow(guardedBrowser, steps)).toMatchObject([
    opened,
    { ok: false, message: refused, url: `${other.url}in` },
  ]);
  expect(await follow(unguardedBrowser, steps)).toMatchObject([opened, opened, opened]);
});

test("a server that is not there", async () => {
  const gone = await startSite({});
  await gone.close();
  const [step] = await follow(unguardedBrowser, [{ do: "open", url: gone.url }]);
  expect(step).toMatchObject({ ok: false, message: expect.stringContaining("connection"), url: gone.url });
  expect(step?.message).not.toContain("ERR_");
});
