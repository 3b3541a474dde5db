import { expect, test } from "@jest/globals";
import { editedFields } from "./edited-fields.js";

const shown = { name: "Docs", to: ["a@example.org"], quiet: null as { from: string } | null, paused: false };

test.each<[what: string, edited: typeof shown, sent: Partial<typeof shown>]>([
  ["nothing", { ...shown, to: ["a@example.org"] }, {}],
  ["a text", { ...shown, name: "Shop" }, { name: "Shop" }],
  ["a list", { ...shown, to: [] }, { to: [] }],
  ["an object", { ...shown, quiet: { from: "22:00" } }, { quiet: { from: "22:00" } }],
  ["a switch, to off", { ...shown, paused: true }, { paused: true }],
])("only what was edited is sent: %s", (_what, edited, sent) => {
  expect(editedFields(shown, edited)).toEqual(sent);
});

test("what was not there before counts as edited", () => {
  expect(editedFields<{ name: string; url?: string }>({ name: "Docs" }, { name: "Docs", url: "" })).toEqual({
    url: "",
  });
});
