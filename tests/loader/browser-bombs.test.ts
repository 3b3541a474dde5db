import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { PageResult } from "@web-tester/loader/page-result";
import { consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createNames } from "@web-tester/platform/egress/names";
import { startNameServer } from "@web-tester/platform/egress/test-name-server";
import { type BrowserLoading, startBrowserLoading } from "../support/browser-loading.js";
import { type Page, type Site, startSite } from "../support/site.js";

const deadlineMs = 3_000;
const script = (body: string) => `<!doctype html><title>Bomb</title><p>Bomb</p><script>${body}</script>`;

/** Returns a page that sends one piece after the other until the client disconnects. */
const endless =
  (type: string, piece: Buffer): Page =>
  (_request, response) => {
    response.writeHead(200, { "content-type": type });
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  };
const drip: Page = (_request, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  const timer = setInterval(() => response.write("<p>x"), 50);
  response.once("close", () => clearInterval(timer));
};

/** The bombs with the ends that each may come to: several where it depends on the machine. */
const bombs: Record<string, { page: Page; ends: string[] }> = {
  loop: { page: script("while (true);"), ends: ["timed_out"] },
  "loop-after-load": { page: script("onload = () => setTimeout(() => { while (true); }, 50);"), ends: ["timed_out"] },
  alerts: { page: script('while (true) alert("again");'), ends: ["timed_out"] },
  canvases: {
    page: script(
      "const all = []; setInterval(() => { const c = document.createElement('canvas'); c.width = c.height = 16000; c.getContext('2d').fillRect(0, 0, 16000, 16000); all.push(c); document.body.append(c); }, 10)",
    ),
    ends: ["timed_out", "browser_crashed", "page"],
  },
  memory: {
    page: script("const a = []; while (true) a.push(new Array(1e6).fill(a.length));"),
    ends: ["timed_out", "browser_crashed"],
  },
  nested: {
    page: "<!doctype html><title>Bomb</title>" + "<div>".repeat(100_000) + "deep",
    ends: ["page", "timed_out", "browser_crashed"],
  },
  windows: { page: script('for (let i = 0; i < 1000; i++) open("/good");'), ends: ["page", "timed_out"] },
  frames: {
    page: '<!doctype html><title>Bomb</title><iframe src="/frames?a"></iframe><iframe src="/frames?b"></iframe>',
    ends: ["page", "timed_out", "browser_crashed"],
  },
  reload: { page: script("location.reload();"), ends: ["reload_loop"] },
  unload: {
    page: script(
      'onbeforeunload = (event) => { event.preventDefault(); return "stay"; }; onunload = onpagehide = () => { while (true); };',
    ),
    ends: ["page", "timed_out"],
  },
  downloads: {
    page: script(
      'for (let i = 0; i < 50; i++) { const a = document.createElement("a"); a.href = "/endless-file"; a.download = "x"; a.click(); }',
    ),
    ends: ["page", "timed_out"],
  },
  growing: {
    page: script('setInterval(() => document.body.insertAdjacentHTML("beforeend", "<p>more</p>".repeat(20000)), 1);'),
    ends: ["too_large", "timed_out", "browser_crashed"],
  },
  "endless-page": {
    page: endless("text/html", Buffer.alloc(64 * 1024, "<p>more")),
    ends: ["timed_out", "too_large", "browser_crashed"],
  },
  drip: { page: drip, ends: ["timed_out"] },
  history: {
    page: script(
      'setInterval(() => { for (let i = 0; i < 1000; i++) try { history.pushState({}, "", "#" + Math.random()); } catch {} }, 1)',
    ),
    ends: ["page", "timed_out"],
  },
};

let site: Site;
let loading: BrowserLoading;

beforeAll(async () => {
  site = await startSite({
    ...Object.fromEntries(Object.entries(bombs).map(([name, { page }]) => [`/${name}`, page])),
    "/good": "<!doctype html><title>Good</title><script>document.title = 'Very good'</script>",
    "/endless-file": endless("application/octet-stream", Buffer.alloc(64 * 1024)),
  });
  for (const query of ["a", "b"])
    site.pages.set(`/frames?${query}`, "<iframe src='/frames?a'></iframe><iframe src='/frames?b'></iframe>");
  loading = startBrowserLoading({ tabs: 3, processMaxBytes: 700 * 1024 * 1024 });
}, 60_000);
afterAll(async () => {
  await loading?.close();
  await site?.close();
});

const endOf = (result: PageResult) => (result.kind === "failed" ? result.code : result.kind);

test("each bomb ends for a reason that is written down, and the pages beside it load", async () => {
  const names = Object.keys(bombs);
  const waiting = [...names];
  const ends: Record<string, string> = {};
  const good: string[] = [];
  const light = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const result = await loading.load(`${site.url}${name}`, { owner: "hostile", deadlineMs });
      ends[name] = endOf(result);
      if (result.kind === "failed") expect(result.message).toMatch(/\.$/);
    }
  };
  // a bomb whose tab cannot be closed ends the whole of Chromium; other pages that were open are loaded again, as the fetcher does
  const beside = async () => {
    while (Object.keys(ends).length < names.length) {
      const load = async () => endOf(await loading.load(`${site.url}good`, { owner: "good", deadlineMs: 60_000 }));
      const end = await load();
      good.push(end === "browser_crashed" ? await load() : end);
    }
  };
  await Promise.all([light(), light(), beside()]);
  const wrong = names.filter((name) => !(bombs[name]?.ends ?? []).includes(ends[name] ?? ""));
  expect(wrong.map((name) => [name, ends[name]])).toEqual([]);
  expect(good.length).toBeGreaterThan(3);
  expect(new Set(good)).toEqual(new Set(["page"]));
}, 240_000);

test("nine pages of one object that never end do not keep three of another from theirs", async () => {
  const stop = new AbortController();
  const neverEnding = ["loop", "drip", "loop-after-load"];
  let ended = 0;
  const hostile = Array.from({ length: 9 }, (_, index) =>
    loading
      .load(`${site.url}${neverEnding[index % 3] ?? ""}`, { owner: "hostile", deadlineMs: 60_000, signal: stop.signal })
      .finally(() => ended++),
  );
  const begun = () => site.requests.filter((path) => neverEnding.includes(path.slice(1))).length;
  site.requests.length = 0;
  while (begun() < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  const good = ["good", "good", "good"].map((path) =>
    loading.load(`${site.url}${path}`, { owner: "good", deadlineMs: 60_000 }),
  );
  expect((await Promise.all(good)).map(endOf)).toEqual(["page", "page", "page"]);
  // the good pages did not wait for any of the hostile ones to end
  expect(ended).toBe(0);
  stop.abort();
  for (const result of await Promise.all(hostile)) expect(endOf(result)).toBe("cancelled");
}, 240_000);

test("a page with 300 pictures on names that nobody answers for keeps no other page from its names", async () => {
  const server = await startNameServer((name, type) => {
    if (name.endsWith("silent.test")) return null;
    return { records: type === "A" ? [{ type, data: "127.0.0.1" }] : [] };
  });
  const own = startBrowserLoading({
    policy: createAddressPolicy({ private: "deny", allow: ["innocent.test", "127.0.0.1"], ownAddresses: [] }),
    names: createNames({ servers: [server.address] }),
    tabs: 2,
  });
  const stop = new AbortController();
  try {
    const pictures = Array.from({ length: 300 }, (_, at) => `<img src="http://n${at}.silent.test/x.png">`);
    site.pages.set("/silent-names", `<!doctype html><title>Silent</title>${pictures.join("")}`);
    let hasEnded = false;
    const hostile = own
      .load(`${site.url}silent-names`, { owner: "hostile", signal: stop.signal })
      .finally(() => (hasEnded = true));
    while (!server.asked.some((asked) => asked.includes("silent")))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const { port } = new URL(site.url);
    const url = `http://innocent.test:${port}/good`;
    const good = await own.load(url, { owner: "good", consent: consentFor(new URL(url)) });
    expect(endOf(good)).toBe("page");
    expect(server.asked).toContain("A innocent.test");
    expect(hasEnded).toBe(false);
    stop.abort();
    expect(endOf(await hostile)).toBe("cancelled");
  } finally {
    await own.close();
    await server.close();
  }
}, 120_000);
