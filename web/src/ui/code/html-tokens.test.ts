import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type LineState, stateAfter, tokenizeLine } from "./html-tokens.js";

const shown = (line: string, state?: LineState) =>
  tokenizeLine(line, state).tokens.map((token) => `${token.kind} ${line.slice(token.from, token.to)}`);

describe("one line", () => {
  test.each([
    ["plain text", []],
    ["", []],
    ["a < b and 3 <4", []],
    ["<p>Hi</p>", ["tag <p>", "tag </p>"]],
    [
      "<a href=\"/x\" class='y' hidden>",
      ["tag <a", "attribute href", 'string "/x"', "attribute class", "string 'y'", "attribute hidden", "tag >"],
    ],
    ["<input value=a/b disabled>", ["tag <input", "attribute value", "string a/b", "attribute disabled", "tag >"]],
    ["<br/>", ["tag <br/>"]],
    ["<!doctype html>", ["tag <!doctype", "attribute html", "tag >"]],
    ["x<!-- c --><b>", ["comment <!-- c -->", "tag <b>"]],
    ["<svg:rect x=1>", ["tag <svg:rect", "attribute x", "string 1", "tag >"]],
    ["<a ='x'>", ["tag <a", "string 'x'", "tag >"]],
  ])("%p", (line, tokens) => expect(shown(line)).toEqual(tokens));
});

describe("what a line leaves open", () => {
  test.each<[string, LineState, LineState]>([
    ["<div", "text", "tag"],
    ['class="a', "tag", "dq"],
    ["b'", "dq", "dq"],
    ['b">', "dq", "text"],
    ["title='x", "tag", "sq"],
    ["<!-- a", "text", "comment"],
    ["still", "comment", "comment"],
    ["--> b", "comment", "text"],
    ["<script>", "text", "raw:script"],
    ["if (a < b) c('<p>')", "raw:script", "raw:script"],
    ["</SCRIPT>", "raw:script", "text"],
    ["<style media=all", "text", "raw-tag:style"],
    [">", "raw-tag:style", "raw:style"],
    ["<scripted>", "text", "text"],
  ])("%p from %p ends in %p", (line, start, end) => {
    expect(tokenizeLine(line, start).state).toBe(end);
    expect(stateAfter(line, start)).toBe(end);
  });
});

const states: LineState[] = [
  "text",
  "tag",
  "comment",
  "dq",
  "sq",
  "raw:script",
  "raw:style",
  "raw-tag:script",
  "raw-tag:style",
];
const hostile = fc
  .array(fc.constantFrom("<", ">", "/", "!", "--", '"', "'", "=", " ", "script", "style", "a", "😀", "\u0000", "\t"))
  .map((parts) => parts.join(""));

test("whatever comes, tokens are ascending, apart, inside the line and not empty", () => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(...states), (line, state) => {
      let end = 0;
      for (const token of tokenizeLine(line, state).tokens) {
        expect(token.from).toBeGreaterThanOrEqual(end);
        expect(token.to).toBeGreaterThan(token.from);
        end = token.to;
      }
      expect(end).toBeLessThanOrEqual(line.length);
      expect(stateAfter(line, state)).toBe(tokenizeLine(line, state).state);
    }),
  );
});

test("a hundred thousand brackets are read once", () => {
  expect(tokenizeLine("<a".repeat(100_000)).tokens.length).toBeGreaterThan(0);
  expect(tokenizeLine("<!--".repeat(100_000)).tokens).toHaveLength(1);
});
