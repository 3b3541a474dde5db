import { describe, expect, test } from "@jest/globals";
import { findRefresh } from "./meta-refresh.js";
import { parseRefresh } from "./parse-refresh.js";

describe("the first refresh of a page", () => {
  test.each([
    ['<meta http-equiv="refresh" content="0;url=/next">', { seconds: 0, address: "/next" }],
    ["<META CONTENT='3; URL=\"next.html\" ' HTTP-EQUIV=Refresh>", { seconds: 3, address: "next.html" }],
    ['<body><p>late</p><meta http-equiv=refresh content="5, next">', { seconds: 5, address: "next" }],
    ['<meta http-equiv="refresh" content="300">', { seconds: 300, address: "" }],
    ['<noscript><meta http-equiv="refresh" content="0;url=/plain"></noscript>', null],
    ['<!-- <meta http-equiv="refresh" content="0;url=/old"> -->', null],
    ['<script>"<meta http-equiv=refresh content=0;url=/x>"</script>', null],
    ['<template><meta http-equiv="refresh" content="0;url=/copy"></template>', null],
    ['<textarea><meta http-equiv="refresh" content="0;url=/typed"></textarea>', null],
    ['<meta name="refresh" content="0;url=/next">', null],
    ['<meta http-equiv="refresh" content="soon">', null],
  ])("%s", (html, expected) => {
    expect(findRefresh(`<!doctype html><title>Page</title>${html}`)).toEqual(expected);
  });

  const opened = Array.from({ length: 5_000 }, (_, index) => `<b a${index}>`).join("");
  test.each([
    ["nested elements", "<b>".repeat(200_000)],
    // in a tree, each paragraph would contain all of the elements again
    ["elements that each paragraph opens again", `<p>${opened}${"<p>x".repeat(50_000)}`],
    ["white space", `<meta http-equiv=${" ".repeat(250_000)}`],
    ["digits", `<meta http-equiv=refresh content="${"1".repeat(250_000)}x">`],
  ])("%s take no long time", (_name, html) => {
    expect(findRefresh(`http-equiv=refresh ${html}`)).toBeNull();
  });
});

test.each([
  ["0", { seconds: 0, address: "" }],
  [" 1.9 ; url = '/a' ; ", { seconds: 1, address: "/a" }],
  [".5;/a", { seconds: 0, address: "/a" }],
  ["2 /a", { seconds: 2, address: "/a" }],
  ["2;url='/a", { seconds: 2, address: "/a" }],
  ["", null],
  ["-1;/a", null],
  ["1x;/a", null],
])("a refresh reads %j", (content, expected) => {
  expect(parseRefresh(content)).toEqual(expected);
});
