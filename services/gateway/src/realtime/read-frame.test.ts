import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readFrame } from "./read-frame.js";

const id = "0199f3a0-0000-7000-8000-000000000000";

test.each([
  [{ type: "init", role: "console" }],
  [{ type: "subscribe", testobjectId: id }],
  [{ type: "subscribe", roomId: "web console" }],
  [{ type: "freshsubscribe" }],
  [{ type: "unsubscribe", testobjectId: id }],
])("reads %j", (frame) => {
  expect(readFrame(JSON.stringify(frame))).toEqual({ ok: true, frame });
});

describe("says what is wrong with", () => {
  test.each<[unknown, RegExp]>([
    ["", /not valid JSON/],
    ["{", /not valid JSON/],
    ["5", /type is not known/],
    ["null", /type is not known/],
    ["[]", /type is not known/],
    ['{"type":"boo"}', /Known types: init, subscribe, freshsubscribe, unsubscribe/],
    ['{"type":"__proto__"}', /type is not known/],
    ['{"type":"subscribe","testobjectId":"x"}', /field testobjectId/],
    ['{"type":"init"}', /field role/],
    [Buffer.from('{"type":"init","role":"x"}'), /Frames are text/],
  ])("%s", (data, message) => {
    expect(readFrame(data)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});

test("never throws, whatever comes", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (data) => typeof readFrame(data).ok === "boolean"));
});
