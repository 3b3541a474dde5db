import { expect, jest, test } from "@jest/globals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { z } from "zod";
import type { Call } from "../client.js";
import { Session } from "../session.js";
import { createAssistantServer } from "./assistant-server.js";

const nowhere = { write: () => undefined };
const told = z.object({ content: z.tuple([z.object({ text: z.string() })]) });

interface Asked {
  query?: { kind?: string; limit?: number };
}

interface Lifecycle {
  items: { created_at: string }[];
  nextCursor: string | null;
}

/**
 * Returns what an assistant is told about a site with one fetch, whose only page has changed as soon as it is compared.
 * @param pending number of pages still to be compared, for each question; none afterwards
 * @param state of the fetch
 * @param singles pages that were fetched alone since
 * @param lifecycle pages that came, went or moved
 */
async function tell(
  tool: { name: string; arguments: Record<string, string> },
  pending: number[],
  state: "running" | "finished" = "finished",
  singles = 0,
  lifecycle: Lifecycle = { items: [], nextCursor: null },
): Promise<unknown> {
  const found = () => {
    const left = pending.shift() ?? 0;
    return { left, changed: left === 0 ? 1 : 0 };
  };
  const answers: Partial<Record<string, (parts: Asked) => unknown>> = {
    listTestObjects: () => [{ id: "o", name: "Hats", url: "http://hats.test/" }],
    listRuns: ({ query }) => {
      const one = { kind: "snapshot-one", state: "finished", completed: 1, total: 1 };
      const runs = [
        ...Array.from({ length: singles }, () => one),
        { id: "r", kind: "snapshot-all", state, completed: 0, total: 1 },
      ];
      const items = runs.filter(({ kind }) => (query?.kind ?? kind).split(",").includes(kind)).slice(0, query?.limit);
      return { items, nextCursor: null };
    },
    listLifecycle: () => lifecycle,
    listReviewPages: () => ({ items: [], nextCursor: null }),
    listChanges: () => {
      const { left, changed } = found();
      return { pending: left, items: changed === 0 ? [] : ["a page"], nextCursor: null };
    },
    getReview: () => {
      const { left, changed } = found();
      return { run: { state }, counts: { pending: left, changed }, waiting: changed, groups: [], groups_total: 0 };
    },
  };
  const session = new Session({ env: {}, out: nowhere, progress: nowhere, onInterrupt: () => undefined });
  const call = (name: string, parts: Asked = {}) => Promise.resolve(answers[name]?.(parts));
  jest.spyOn(session, "call").mockResolvedValue(call as unknown as Call);
  const server = createAssistantServer(session);
  const client = new Client({ name: "test", version: "1" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  try {
    return JSON.parse(told.parse(await client.callTool(tool)).content[0].text);
  } finally {
    await client.close();
  }
}

const changes = { name: "what_changed", arguments: { site: "Hats", since: "2026-11-28T10:00:00Z" } };
const review = { name: "review", arguments: { run: "r" } };

test("an assistant is told what changed once pages that were just fetched are compared", async () => {
  expect(await tell(changes, [1])).toMatchObject({ changed: ["a page"], complete: true, not_compared_yet: 0 });
  expect(await tell(review, [1])).toMatchObject({ counts: { pending: 0, changed: 1 }, waiting: 1, complete: true });
});

test("while a fetch goes on, an assistant is told that it is not complete", async () => {
  expect(await tell(changes, [], "running")).toMatchObject({
    ...{ complete: false, fetching: [{ run: "r", done: 0, total: 1 }] },
  });
  expect(await tell(changes, [], "running", 150)).toMatchObject({ complete: false, fetching: [{ run: "r" }] });
  // what is not fetched yet is pending as well, and is not waited for
  expect(await tell(review, [1, 1], "running")).toMatchObject({
    ...{ state: "running", complete: false, counts: { pending: 1 } },
  });
});

test("an assistant is told that more pages came and went than the answer names", async () => {
  const gone = (count: number, day: number) =>
    Array.from({ length: count }, () => ({ created_at: `2026-11-${day}T10:00:00.000Z` }));
  const became = async (items: Lifecycle["items"], nextCursor: string | null) =>
    tell(changes, [], "finished", 0, { items, nextCursor });
  expect(await became(gone(50, 29), "next")).toMatchObject({ became: gone(50, 29), became_more: true });
  expect(await became(gone(50, 29), null)).toMatchObject({ became_more: false });
  // the rest is older than what was asked for
  expect(await became([...gone(49, 29), ...gone(1, 27)], "next")).toMatchObject({
    became: gone(49, 29),
    became_more: false,
  });
});
