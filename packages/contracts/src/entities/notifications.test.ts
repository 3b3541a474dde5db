import { expect, test } from "@jest/globals";
import { channelInput, channelPatch } from "./notifications.js";

test.each([
  ["https://hook.example/a?token=b", true],
  ["https://me@hook.example/a", false],
  ["https://me:secret@hook.example/a", false],
  ["ftp://hook.example/a", false],
])("whether a channel can have the address %s: %s", (url, isGood) => {
  const made = channelInput.safeParse({ kind: "webhook", name: "Hook", url });
  const changed = channelPatch.safeParse({ url });
  expect([made.success, changed.success]).toEqual([isGood, isGood]);
  // it may contain a secret
  expect(JSON.stringify([made.error?.issues, changed.error?.issues])).not.toContain("hook.example");
});
