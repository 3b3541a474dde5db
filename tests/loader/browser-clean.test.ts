import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type BrowserLoading, pageOf, startBrowserLoading } from "../support/browser-loading.js";
import { launchBrowser } from "../support/browser.js";
import { type Page, type Site, startSite } from "../support/site.js";
import { until } from "../support/until.js";

let site: Site;
let loading: BrowserLoading;
/** Cookies that came with requests. */
const cookies: string[] = [];
let credentials: [path: string, value: string | undefined][] = [];

const cached =
  (type: string, body: string): Page =>
  (_request, response) =>
    void response
      .writeHead(200, { "content-type": type, "cache-control": "public, max-age=86400", etag: '"1"' })
      .end(body);

/** A page that leaves behind everything that a page can leave in a browser. */
const leaving = `<!doctype html><title>Leaves</title><link rel="stylesheet" href="/kept.css"><script src="/kept.js"></script><img src="/kept.svg"><div id="done"></div><script type="module">
  document.cookie = "script=1; max-age=86400";
  localStorage.left = sessionStorage.left = window.name = "left";
  await new Promise((go, fail) => { const r = indexedDB.open("left"); r.onsuccess = go; r.onerror = fail; });
  if (globalThis.caches) await (await caches.open("left")).put("/left", new Response("left"));
  const folder = await navigator.storage.getDirectory(); await folder.getFileHandle("left", { create: true });
  history.pushState({}, "", "/pushed"); history.pushState({}, "", "/leave");
  const shared = new SharedWorker(URL.createObjectURL(new Blob(["let n = 0; onconnect = (e) => e.ports[0].postMessage(++n)"])), "left");
  try { await navigator.serviceWorker.register("/worker.js"); } catch {}
  document.getElementById("done").textContent = "left";
</script>`;

/** A page that loads the same files but runs no script. */
const quiet = `<!doctype html><title>Quiet</title><link rel="stylesheet" href="/kept.css"><link rel="preload" as="script" href="/kept.js"><img src="/kept.svg"><p>Words</p>`;

/** A page whose script is in a closed shadow root, so that no list of scripts has it, and keeps on running. */
const hidden = `<!doctype html><title>Hidden</title><div><template shadowrootmode="closed"><script>
  const leave = () => { document.cookie = "script=1; max-age=86400"; localStorage.left = sessionStorage.left = window.name = "left"; };
  leave(); setInterval(leave, 1);
</script></template></div><p>Words</p>`;

/** A page that writes into itself whatever it finds that others have left. */
const looking = `<!doctype html><title>Looks</title><link rel="stylesheet" href="/kept.css"><script src="/kept.js"></script><img src="/kept.svg"><pre id="found"></pre><script type="module">
  const names = []; for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
  const permission = (await navigator.permissions.query({ name: "geolocation" })).state;
  const found = {
    cookie: document.cookie, local: { ...localStorage }, session: { ...sessionStorage }, name: window.name, databases: await indexedDB.databases(),
    caches: globalThis.caches ? await caches.keys() : [], files: names, entries: history.length, workers: (await navigator.serviceWorker?.getRegistrations() ?? []).length, permission, opener: window.opener,
    referrer: document.referrer,
  };
  document.getElementById("found").textContent = JSON.stringify(found);
</script>`;

const nothing = {
  cookie: "server=1",
  local: {},
  session: {},
  name: "",
  databases: [],
  caches: [],
  files: [],
  workers: 0,
  opener: null,
  referrer: "",
};

beforeAll(async () => {
  const withCookie =
    (body: string): Page =>
    (request, response) => {
      cookies.push(request.headers.cookie ?? "");
      response.writeHead(200, {
        "content-type": "text/html",
        "set-cookie": ["server=1; Max-Age=86400", "hidden=1; HttpOnly"],
      });
      response.end(body);
    };
  const guarded: Page = (request, response) => {
    credentials.push([request.url ?? "", request.headers.authorization]);
    response.writeHead(request.headers.authorization === undefined ? 401 : 200, { "content-type": "text/html" });
    response.end("<title>Guarded</title><img src='/guarded.svg'>");
  };
  site = await startSite({
    "/leave": withCookie(leaving),
    "/look": withCookie(looking),
    "/quiet": withCookie(quiet),
    "/hidden": withCookie(hidden),
    "/back": `<!doctype html><title>Back</title><p>Words</p><script>history.back()</script>`,
    "/kept.css": cached("text/css", "p { color: red }"),
    "/kept.js": cached("text/javascript", "1"),
    "/kept.svg": cached("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>'),
    "/worker.js": cached("text/javascript", "onfetch = () => {}"),
    "/guarded": guarded,
    "/guarded.svg": guarded,
  });
  loading = startBrowserLoading({ tabs: 1 });
}, 60_000);
afterAll(async () => {
  await loading?.close();
  await site?.close();
});

const foundIn = (html: string): Record<string, unknown> =>
  JSON.parse(/<pre id="found">(.*?)<\/pre>/s.exec(html)?.[1] ?? "null");
const kept = () => site.requests.filter((path) => path.startsWith("/kept.")).toSorted((a, b) => a.localeCompare(b));
const allKept = ["/kept.css", "/kept.js", "/kept.svg"];

/** Returns the tab that the next page of an owner would get. */
function tabOf(owner: string): Promise<unknown> {
  const grant = { consent: null, maxBytes: 1, onOverBudget: () => undefined, enter: async () => () => undefined };
  const { signal } = new AbortController();
  return loading.pool.withPage({ owner, grant, deadlineMs: 20_000, signal }, async ({ page }) => page);
}

async function htmlOf(path: string): Promise<string> {
  const result = pageOf(await loading.load(new URL(path, site.url).href));
  return result.body.toString();
}

test("a tab that is not emptied shows the next page what the one before it left", async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${site.url}leave`);
    await page.getByText("left", { exact: true }).waitFor();
    cookies.length = site.requests.length = 0;
    await page.goto(`${site.url}look`);
    const found = JSON.parse((await page.locator("#found").filter({ hasText: "cookie" }).textContent()) ?? "");
    expect(found).toMatchObject({
      local: { left: "left" },
      session: { left: "left" },
      name: "left",
      databases: [{ name: "left" }],
      caches: ["left"],
      files: ["left"],
      workers: 1,
    });
    expect(found.entries).toBeGreaterThan(2);
    expect(cookies[0]).toContain("script=1");
    expect(kept()).toEqual([]);
  } finally {
    await browser.close();
  }
});

test("a page without scripts leaves something too in a tab that is not emptied", async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${site.url}quiet`);
    cookies.length = site.requests.length = 0;
    await page.goto(`${site.url}look`);
    await page.locator("#found").filter({ hasText: "cookie" }).waitFor();
    expect(cookies[0]).toContain("server=1");
    expect(kept()).toEqual([]);
    site.requests.length = 0;
    await page.goto(`${site.url}quiet`);
    await page.goto(`${site.url}back`).catch(() => undefined);
    await page.getByText("Words").waitFor();
    await until("the page before", async () => (site.requests.includes("/quiet") ? true : undefined));
  } finally {
    await browser.close();
  }
});

describe("a page in the product's browser", () => {
  test.each(["/quiet", "/hidden"])("finds nothing that %s left in the same tab", async (path) => {
    const owner = `after ${path}`;
    const load = async (next: string) => {
      const result = pageOf(await loading.load(new URL(next, site.url).href, { owner }));
      return result.body.toString();
    };
    expect(await load(path)).toContain("Words");
    const tab = await tabOf(owner);
    for (let round = 0; round < 2; round += 1) {
      await load(path);
      cookies.length = site.requests.length = 0;
      const { entries, permission: _permission, ...found } = foundIn(await load("/look"));
      expect(found).toEqual(nothing);
      expect(entries).toBeLessThanOrEqual(2);
      expect(cookies[0]).toBe("");
      expect(kept()).toEqual(allKept);
    }
    expect(await tabOf(owner)).toBe(tab);
    await load(path);
    site.requests.length = 0;
    await loading.load(`${site.url}back`, { owner });
    expect(site.requests).not.toContain(path);
  });

  test("finds nothing that the page before it left in the same tab", async () => {
    const tab = await tabOf("one object");
    expect(await htmlOf("/leave")).toContain('<div id="done">left</div>');
    for (let round = 0; round < 2; round += 1) {
      cookies.length = site.requests.length = 0;
      const { entries, permission, ...found } = foundIn(await htmlOf("/look"));
      expect(found).toEqual(nothing);
      expect(["denied", "prompt"]).toContain(permission);
      expect(entries).toBeLessThanOrEqual(2);
      expect(cookies[0]).toBe("");
      expect(kept()).toEqual(allKept);
    }
    expect(await tabOf("one object")).toBe(tab);
  });

  test.each(["history.back()", "onload = () => navigation.back()"])(
    "that goes back (%s) stays, as there is nothing before it, in a fresh tab and in a used one",
    async (script) => {
      const owner = `back by ${script}`;
      site.pages.set("/steps-back", `<!doctype html><title>Back</title><p>Words</p><script>${script}</script>`);
      site.requests.length = 0;
      for (const before of [null, "/steps-back", "/quiet", "/leave"]) {
        if (before !== null) await loading.load(new URL(before, site.url).href, { owner });
        const result = await loading.load(`${site.url}steps-back`, { owner });
        expect(result).toMatchObject({ kind: "page", finalUrl: `${site.url}steps-back`, redirects: [], warning: null });
      }
      expect(site.requests.filter((path) => path.includes("empty"))).toEqual([]);
    },
  );

  test("that goes back to a page of its site gets there", async () => {
    site.pages.set(
      "/first",
      `<!doctype html><title>1</title><script>setTimeout(() => (location = "/second"), 20)</script>`,
    );
    const back = `onload = () => { if (sessionStorage.been === undefined) { sessionStorage.been = 1; history.back(); } }`;
    site.pages.set("/second", `<!doctype html><title>2</title><p>Words</p><script>${back}</script>`);
    site.requests.length = 0;
    const result = await loading.load(`${site.url}first`, { owner: "to and fro" });
    expect(result).toMatchObject({ kind: "page", finalUrl: `${site.url}second` });
    expect(site.requests.filter((path) => path === "/second")).toHaveLength(2);
  });

  test("is in a tab that is used again for the same object, and in another one for another object", async () => {
    const tabs = [];
    for (const owner of ["a", "a", "b", "c", "a"]) tabs.push(await tabOf(owner));
    expect(tabs[1]).toBe(tabs[0]);
    expect(new Set(tabs).size).toBe(4);
  });

  test("that asks for a password is not told that of the tab's own proxy", async () => {
    const asked: [path: string, headers: string][] = [];
    site.pages.set("/asks", (request, response) => {
      asked.push([request.url ?? "", JSON.stringify(request.headers).toLowerCase()]);
      response.writeHead(401, { "www-authenticate": 'Basic realm="web-tester"' }).end("no");
    });
    expect(await loading.load(`${site.url}asks`)).toMatchObject({ kind: "failed", status: 401 });
    expect(asked.length).toBeGreaterThan(0);
    for (const [, headers] of asked) expect(headers).not.toContain("authorization");
  });

  test("does not keep credentials that an earlier one was sent", async () => {
    const { origin } = new URL(site.url);
    const authorization = { origin, headers: { authorization: "Bearer secret" } };
    expect(await loading.load(`${site.url}guarded`, { authorization })).toMatchObject({ kind: "page" });
    expect(credentials.filter(([, value]) => value === "Bearer secret").map(([path]) => path)).toEqual([
      "/guarded",
      "/guarded.svg",
    ]);
    credentials = [];
    expect(await loading.load(`${site.url}guarded`)).toMatchObject({
      kind: "failed",
      status: 401,
      message: expect.stringContaining("set them under Options"),
    });
    expect(new Set(credentials.map(([, value]) => value))).toEqual(new Set([undefined]));
  });

  test("sends credentials to the object's own origin only, also through redirects", async () => {
    const seen: string[] = [];
    const note: Page = (request, response) => {
      seen.push(request.headers.authorization ?? "none");
      response
        .writeHead(200, { "content-type": "text/html", "access-control-allow-origin": "*" })
        .end("<title>Other</title>");
    };
    const other = await startSite({ "/": note, "/img": note });
    try {
      const { origin } = new URL(site.url);
      site.pages.set("/away", (_request, response) => void response.writeHead(302, { location: other.url }).end());
      site.pages.set(
        "/embeds",
        `<title>Embeds</title><img src="/away"><img src="${other.url}img"><iframe src="/away"></iframe>`,
      );
      const own = startBrowserLoading({ policy: { decide: () => ({ allowed: true }) } });
      try {
        const authorization = { origin, headers: { authorization: "Bearer secret" } };
        expect(await own.load(`${site.url}away`, { authorization })).toMatchObject({
          kind: "page",
          finalUrl: other.url,
        });
        expect(await own.load(`${site.url}embeds`, { authorization })).toMatchObject({ kind: "page" });
      } finally {
        await own.close();
      }
      expect(seen.length).toBeGreaterThanOrEqual(3);
      expect(new Set(seen)).toEqual(new Set(["none"]));
    } finally {
      await other.close();
    }
  });
});
