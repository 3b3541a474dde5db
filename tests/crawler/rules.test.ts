import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Loader, PageRequest } from "@web-tester/loader/page-result";
import { type ClaimedPage, claimPages } from "@web-tester/records/pages/claim-pages";
import { claimSnapshots } from "@web-tester/records/snapshots/claim-snapshots";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import { createRules } from "@web-tester/crawler/pure/frontier";
import { createRobotsStore, robotsAccess, robotsAsker } from "@web-tester/crawler/steps/robots-store";
import { insertRun } from "@web-tester/records/runs/start-run";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** The rules that a crawl obeys: the settings of its object, and the robots.txt of its site. */
let own: OwnDatabase;
beforeAll(async () => {
  own = await startDatabase();
}, 240_000);
afterAll(() => own?.stop());

const secrets = createSecretBox(Buffer.alloc(32, 7));
let paths = 0;

async function newObject(url: string, options: Record<string, unknown> = {}): Promise<string> {
  const names = ["name", "url", ...Object.keys(options)];
  const [row] = await own.db.query<{ id: string }>(
    `INSERT INTO test_object (${names.join(", ")}) VALUES (${names.map((_, index) => `$${index + 1}`).join(", ")}) RETURNING id`,
    ["Object", url, ...Object.values(options)],
  );
  return row?.id ?? "";
}

const startRun = (objectId: string) => own.db.transaction((tx) => insertRun(tx, objectId, "crawl", 1));

async function claimOne(runId: string, url: string): Promise<ClaimedPage> {
  const [row] = await own.db.query<{ id: string }>(
    `INSERT INTO crawl_page (run_id, url, depth) VALUES ($1, $2, 0) RETURNING id`,
    [runId, `${url}${(paths += 1)}`],
  );
  const [page] = await claimPages(own.db, [row?.id ?? ""], 60_000);
  if (page === undefined) throw new Error("the page was not claimed");
  return page;
}

describe("the settings of a crawl", () => {
  const url = "http://rules.test/docs/";
  const before = { exclude_list: ["/docs/x*"], scope: "path", drop_params: ["utm_*"], crawl_pages_max: 7 };

  test("are those that it began with, for every process that comes to it; the next one has the new ones", async () => {
    const id = await newObject(url, before);
    const run = await startRun(id);
    const first = await claimOne(run, url);
    await own.db.query(
      `UPDATE test_object SET exclude_list = '{}', scope = 'host', scope_prefixes = '{/a}', drop_params = '{}', ignore_robots = true,
         fetch_mode = 'http', crawl_pages_max = 1, crawl_depth_max = 1, crawl_minutes_max = 1, crawl_mib_max = 1, request_delay_ms = 50
       WHERE id = $1`,
      [id],
    );
    const later = await claimOne(run, url);
    const rulesOf = ({ id: _id, url: _url, requestDelayMs: _delay, ...rules }: ClaimedPage) => rules;
    expect(rulesOf(later)).toEqual(rulesOf(first));
    expect(later).toMatchObject({ excludeList: ["/docs/x*"], scope: "path", dropParams: ["utm_*"], pagesMax: 7 });
    // the delay between requests is the one setting that takes effect at once
    expect(later.requestDelayMs).toBe(50);
    const excluded = (page: ClaimedPage) => createRules(page).skipReason(new URL("/docs/x1", url));
    expect(excluded(later)).toBe("excluded");

    await own.db.query(`UPDATE run SET state = 'finished' WHERE id = $1`, [run]);
    const next = await claimOne(await startRun(id), url);
    expect(next).toMatchObject({
      excludeList: [],
      scope: "host",
      scopePrefixes: ["/a"],
      ignoreRobots: true,
      pagesMax: 1,
    });
    expect(next).toMatchObject({ fetchMode: "http", depthMax: 1, minutesMax: 1, mibMax: 1, dropParams: [] });
    expect(excluded(next)).toBeNull();
  });

  test("of one that an earlier version started are those of now", async () => {
    const id = await newObject(url, before);
    const [run] = await own.db.query<{ id: string }>(
      `INSERT INTO run (test_object_id, kind, total) VALUES ($1, 'crawl', 1) RETURNING id`,
      [id],
    );
    expect(await claimOne(run?.id ?? "", url)).toMatchObject({ excludeList: ["/docs/x*"], pagesMax: 7 });
  });
});

describe("robots.txt of one origin", () => {
  /** A loader for a site that gives other rules to anybody who signs in than to everybody else. */
  function membersOnly(): { loader: Loader; asked: string[] } {
    const asked: string[] = [];
    async function loadPage({ url, authorization, consent }: PageRequest) {
      const who = Object.values(authorization?.headers ?? {})[0] ?? "nobody";
      asked.push(
        `${who === "nobody" ? who : Buffer.from(who.slice(6), "base64").toString()} ${consent === null ? "without" : "with"} consent`,
      );
      const rules = who === "nobody" ? "Disallow: /" : "Disallow: /admin\nCrawl-delay: 3";
      return {
        kind: "page" as const,
        mode: "http" as const,
        status: 200,
        finalUrl: url,
        redirects: [],
        headers: {},
        timings: { totalMs: 1, firstByteMs: 1 },
        bytesOnWire: 1,
        body: Buffer.from(`User-agent: *\n${rules}\n`),
        contentType: "text/plain",
        charset: "utf-8",
        warning: null,
      };
    }
    return { loader: { loadPage }, asked };
  }

  const site = "http://members.test/";
  async function objectOf(url: string, user: string | null): Promise<{ id: string; page: ClaimedPage }> {
    const id = await newObject(
      url,
      user === null ? {} : { auth_enabled: true, auth_type: "basic", auth_username: user },
    );
    if (user !== null)
      await own.db.query(`UPDATE test_object SET auth_password_sealed = $2 WHERE id = $1`, [id, secrets.seal("p", id)]);
    return { id, page: await claimOne(await startRun(id), url) };
  }
  const inside = new URL("/inside", site);

  test("is shared by objects that are told the same, not with those that sign in or do not consent", async () => {
    const { loader, asked } = membersOnly();
    const ask = async (page: ClaimedPage) => {
      // a new store each time, as in another process without a cache
      const store = createRobotsStore(own.db, loader, new AbortController().signal);
      const rules = await store.rulesOf(inside.origin, robotsAccess(page, secrets));
      const other = { ...robotsAsker(page), ownOrigin: inside.origin, robotsAs: "of another" };
      expect(store.known(inside.origin, other)).toBeNull();
      return rules.isAllowed(inside);
    };
    const member = await objectOf(site, "member");
    const stranger = await objectOf(site, null);
    const another = await objectOf(site, "another");
    const foreign = await objectOf("http://elsewhere.test/", "member");
    expect(await ask(member.page)).toBe(true);
    expect(await ask(stranger.page)).toBe(false);
    expect(await ask(another.page)).toBe(true);
    expect(await ask(foreign.page)).toBe(false);
    expect(asked).toEqual([
      "member:p with consent",
      "nobody with consent",
      "another:p with consent",
      "nobody without consent",
    ]);
    // asking again does not load any file again
    for (const { page } of [member, stranger, another, foreign, await objectOf(site, null)]) await ask(page);
    expect(asked).toHaveLength(4);
    // with new credentials the file is loaded again
    await own.db.query(`UPDATE test_object SET auth_username = 'other' WHERE id = $1`, [member.id]);
    const [run] = await own.db.query<{ id: string }>(`SELECT id FROM run WHERE test_object_id = $1`, [member.id]);
    expect(await ask(await claimOne(run?.id ?? "", site))).toBe(true);
    expect(asked.slice(4)).toEqual(["other:p with consent"]);
  });

  test("gives fetchers the delay that the object's own answer asks for", async () => {
    const delayOf = async (objectId: string) => {
      const [row] = await own.db.query<{ id: string }>(
        `WITH i AS (INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, 'i') RETURNING id)
         INSERT INTO test_snapshot (test_instance_id, state, number) SELECT id, 'queued', 1 FROM i RETURNING id`,
        [objectId, `${site}${(paths += 1)}`],
      );
      return (await claimSnapshots(own.db, [row?.id ?? ""], 60_000))[0]?.requestDelayMs;
    };
    const { loader } = membersOnly();
    const member = await objectOf(site, "member of delays");
    const stranger = await objectOf(site, null);
    const store = createRobotsStore(own.db, loader, new AbortController().signal);
    for (const { page } of [member, stranger]) await store.rulesOf(inside.origin, robotsAccess(page, secrets));
    expect(await delayOf(member.id)).toBe(3_000);
    expect(await delayOf(stranger.id)).toBe(0);
  });
});
