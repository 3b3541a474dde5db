import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readHistory, readLine, wordsIn } from "./console-line.js";

const line = { id: "a-1", level: "warn", message: "Visited /", ts: 1_700_000_000_000, jobId: "run", _pid: 7 };

test("a line of the product is read as it is", () => {
  expect(readLine(line, 3, "x")).toEqual({
    id: "a-1",
    level: "warn",
    message: "Visited /",
    ts: 1_700_000_000_000,
    jobId: "run",
    via: 3,
  });
});

test("a line with a code keeps it, and is said in English as the server said it", () => {
  const told = { ...line, code: "visited", values: { url: "/" } };
  expect(readLine(told, 3, "x")).toMatchObject({ code: "visited", values: { url: "/" }, message: "Visited /" });
  expect(wordsIn({ ...told })).toBe("Visited /");
  // fields in another form, as a newer server may send them, do not hide the line
  expect(readLine({ ...told, code: 7, values: [["url"]] }, 3, "x")).toMatchObject({ message: "Visited /" });
});

describe("whatever words a payload has are shown", () => {
  test.each<[unknown, { level: string; message: string } | undefined]>([
    [{ text: "plain" }, { level: "info", message: "plain" }],
    [
      { message: "", text: "second" },
      { level: "info", message: "second" },
    ],
    [{ error: "broke" }, { level: "error", message: "broke" }],
    [{ error: { message: "broke" } }, { level: "error", message: "broke" }],
    [
      { level: "warn", error: "slow" },
      { level: "warn", message: "slow" },
    ],
    [{ data: { n: 1 } }, { level: "info", message: '{"n":1}' }],
    [
      { level: "shout", message: "loud" },
      { level: "info", message: "loud" },
    ],
    ["words alone", { level: "info", message: "words alone" }],
    [{ message: "   " }, undefined],
    [{}, undefined],
    [null, undefined],
    [7, undefined],
    [{ message: { html: "<b>" } }, undefined],
  ])("%j", (payload, shown) => {
    const read = readLine(payload, undefined, "x");
    if (shown === undefined) expect(read).toBeUndefined();
    else expect(read).toMatchObject({ ...shown, id: "x", ts: null, jobId: "" });
  });
});

test("a time may be text; one that is none is left out", () => {
  expect(readLine({ text: "a", ts: "2026-01-02T03:04:05Z" }, 1, "x")?.ts).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
  expect(readLine({ text: "a", ts: "soon" }, 1, "x")?.ts).toBeNull();
});

test("a history is one line each, JSON or words, without the empty ones", () => {
  const text = `${JSON.stringify(line)}\n\n   \nnot JSON {\n17\n`;
  expect(readHistory(text, 2).map(({ message, via }) => [message, via])).toEqual([
    ["Visited /", 2],
    ["not JSON {", 2],
    ["17", 2],
  ]);
  expect(readHistory("", 2)).toEqual([]);
});

test("no payload is too odd", () => {
  fc.assert(
    fc.property(fc.anything(), (payload) => {
      const read = readLine(payload, 1, "x");
      expect(read === undefined || read.message.trim() !== "").toBe(true);
    }),
  );
});
