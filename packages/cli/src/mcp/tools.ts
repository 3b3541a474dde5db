import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import type { Call } from "../client.js";
import { failKinds } from "../check/findings.js";
import { checkedParts, runCheck } from "../check/run-check.js";
import { readFindings } from "../check/read-findings.js";
import { findObject } from "../find-object.js";
import type { Session } from "../session.js";
import { listedMax, toldFindings } from "./told-findings.js";
import { untilCompared } from "./until-compared.js";

const site = z.string().describe("A test object by its name, address or id");
const timestamp = z.iso.datetime({ offset: true }).describe("ISO 8601 with an offset, such as 2026-11-23T00:00:00Z");
const reading = { readOnlyHint: true, openWorldHint: false };
/** The most lines of a diff in one answer. */
const linesMax = 400;

interface ToolAnswer {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
}

const answer = (value: unknown): ToolAnswer => ({
  content: [{ type: "text", text: JSON.stringify(value, null, 1) }],
});

/** Registers the tools of the assistant: the reading half of the API, and a check. */
export function addTools(server: McpServer, session: Session): void {
  addReading(server, session);
  addComparing(server, session);
  addCheck(server, session);
}

function addCheck(server: McpServer, session: Session): void {
  server.registerTool(
    "check",
    {
      description:
        "Fetch a site now, compare it with its baseline, an earlier fetch or another site, and report what needs a person's attention",
      inputSchema: {
        site,
        against: z
          .string()
          .default("baseline")
          .describe("previous, baseline, label:NAME, run:NUMBER, object:NAME, an address, or a time"),
        fetch: z.boolean().default(true).describe("False: compare the snapshots that exist already"),
        only: z.array(z.enum(checkedParts)).optional(),
      },
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    async ({ site: object, against, fetch, only }) => {
      const result = await runCheck(
        {
          ...{ object, against, fetch, crawl: false, maxPages: null, label: null },
          only: only === undefined ? null : new Set(only),
          failOn: new Set(failKinds),
          ...{ commit: null, branch: null, pipelineUrl: null },
        },
        session,
      );
      return answer({ ...result, ...toldFindings(result.findings) });
    },
  );
}

function addReading(server: McpServer, session: Session): void {
  addListSites(server, session);
  addListFetches(server, session);
  addSearch(server, session);
  addListChecks(server, session);
}

function addListSites(server: McpServer, session: Session): void {
  server.registerTool(
    "list_sites",
    {
      description: "List the monitored sites, each with the number of changed pages that wait for review",
      annotations: reading,
    },
    async () => {
      const objects = await (await session.call())("listTestObjects");
      return answer(objects.map(({ id, name, url, review }) => ({ id, name, url, waiting: review?.waiting ?? 0 })));
    },
  );
}

function addListFetches(server: McpServer, session: Session): void {
  server.registerTool(
    "list_fetches",
    {
      description:
        "List the crawls, fetches and comparisons of a site, newest first, with their labels and results. The pages of a fetch are compared shortly after it ends; the tool review waits for that",
      inputSchema: { site, limit: z.int().min(1).max(100).default(20) },
      annotations: reading,
    },
    async ({ site: named, limit }) => {
      const call = await session.call();
      const { id } = await findObject(call, named);
      return answer((await call("listRuns", { params: { id }, query: { limit } })).items);
    },
  );
}

function addSearch(server: McpServer, session: Session): void {
  server.registerTool(
    "search",
    {
      description: "Find the snapshots of a site that contain a phrase, in the visible text or in the HTML; at most 50",
      inputSchema: {
        site,
        phrase: z.string().min(1),
        scope: z.enum(["text", "html"]).default("text"),
        latest: z.boolean().default(true).describe("Only the newest snapshot of each page"),
      },
      annotations: reading,
    },
    async ({ site: named, phrase, scope, latest }) => {
      const call = await session.call();
      const { id } = await findObject(call, named);
      const query = { q: phrase, testobject_id: id, scope, limit: listedMax };
      return answer(await call("search", { query: { ...query, ...(latest ? { idx: 0 } : {}) } }));
    },
  );
}

function addListChecks(server: McpServer, session: Session): void {
  server.registerTool(
    "list_checks",
    {
      description:
        "List release checks, newest first: commit, branch, and whether they are waiting, accepted or rejected",
      inputSchema: { site: site.optional(), branch: z.string().optional() },
      annotations: reading,
    },
    async ({ site: named, branch }) => {
      const call = await session.call();
      const id = named === undefined ? undefined : (await findObject(call, named)).id;
      const query = { ...(id === undefined ? {} : { testobject_id: id }), ...(branch === undefined ? {} : { branch }) };
      return answer((await call("listChecks", { query: { ...query, limit: listedMax } })).items);
    },
  );
}

function addComparing(server: McpServer, session: Session): void {
  addWhatChanged(server, session);
  addDiff(server, session);
  addReview(server, session);
}

function addWhatChanged(server: McpServer, session: Session): void {
  server.registerTool(
    "what_changed",
    {
      description:
        "Report what changed on a site since a time: each changed page with the two snapshots to compare, and pages that came, went or moved, newest first. Of each list the answer has at most 50; `more` and `became_more` say whether there are others. The answer is incomplete while pages are being fetched or compared; call again later",
      inputSchema: { site, since: timestamp },
      annotations: reading,
    },
    async ({ site: named, since }) => {
      const call = await session.call();
      const { id, name, url } = await findObject(call, named);
      const goingOn = await fetchesThatGoOn(call, id);
      const changed = await untilCompared(
        () => call("listChanges", { params: { id }, query: { since, limit: listedMax } }),
        ({ pending }) => pending > 0,
        session.signal,
      );
      const became = await becameSince(call, id, since);
      return answer({
        ...{ site: { id, name, url }, since },
        ...{
          complete: goingOn.length === 0 && changed.pending === 0,
          fetching: goingOn,
          not_compared_yet: changed.pending,
        },
        changed: changed.items,
        more: changed.nextCursor !== null,
        became: became.items,
        became_more: became.more,
      });
    },
  );
}

/** Returns the newest of the pages that came, went or moved since a time, and whether there are more of them. */
async function becameSince(call: Call, objectId: string, since: string) {
  const { items, nextCursor } = await call("listLifecycle", { params: { id: objectId }, query: { limit: listedMax } });
  const became = items.filter(({ created_at: at }) => Date.parse(at) >= Date.parse(since));
  return { items: became, more: nextCursor !== null && became.length === items.length };
}

/** Returns the fetches that are still running, whose findings are not known yet. */
async function fetchesThatGoOn(call: Call, objectId: string): Promise<{ run: string; done: number; total: number }[]> {
  const newest = async (kind: "snapshot-all" | "snapshot-one", limit: number) =>
    (await call("listRuns", { params: { id: objectId }, query: { kind, limit } })).items;
  // one fetch of all pages at a time, however many single ones were asked for since
  const runs = await Promise.all([newest("snapshot-all", 1), newest("snapshot-one", 100)]);
  return runs
    .flat()
    .filter(({ state }) => state === "running")
    .map(({ id, completed, total }) => ({ run: id, done: completed, total }));
}

function addDiff(server: McpServer, session: Session): void {
  server.registerTool(
    "diff",
    {
      description: "Show how two snapshots of a page differ, line by line, as visible text or as HTML",
      inputSchema: {
        older: z.string().describe("Id of a snapshot"),
        newer: z.string().describe("Id of a snapshot"),
        as: z.enum(["text", "source", "formatted"]).default("text"),
      },
      annotations: reading,
    },
    async ({ older: a, newer: b, as }) => {
      const call = await session.call();
      const { instance, added, removed, hunks } = await call("getDiffHunks", { query: { a, b, as, context: 1 } });
      const signs = { context: " ", removed: "-", added: "+" } as const;
      const lines = hunks.flatMap((hunk) => hunk.lines.map(({ kind, text }) => `${signs[kind]} ${text}`));
      return answer({
        ...{ page: instance.url, added, removed },
        lines: lines.slice(0, linesMax),
        more: lines.length > linesMax,
      });
    },
  );
}

function addReview(server: McpServer, session: Session): void {
  server.registerTool(
    "review",
    {
      description:
        "Show what a fetch or comparison found, with equal changes of many pages grouped, and the verdicts given on them. The answer is incomplete while the run is going on or pages are pending; call again later",
      inputSchema: { run: z.string().describe("Id of a run, from list_fetches") },
      annotations: reading,
    },
    async ({ run }) => {
      const call = await session.call();
      await untilCompared(
        () => call("getReview", { params: { id: run }, query: { limit: 1 } }),
        (asked) => asked.run.state === "finished" && asked.counts.pending > 0,
        session.signal,
      );
      const { review, found } = await readFindings(call, run);
      return answer({
        ...{ state: review.run.state, complete: review.run.state !== "running" && review.counts.pending === 0 },
        counts: review.counts,
        waiting: review.waiting,
        kinds_of_change: found.groups.slice(0, listedMax),
        pages: found.pages.slice(0, listedMax),
        more: found.groups.length > listedMax || found.pages.length > listedMax,
      });
    },
  );
}
