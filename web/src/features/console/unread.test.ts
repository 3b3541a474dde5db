import { expect, test } from "@jest/globals";
import { unreadLabel } from "./unread.js";

test.each([
  [0, undefined],
  [1, "1"],
  [99, "99"],
  [100, "99+"],
  [100_000, "99+"],
])("%d unread lines", (unread, label) => {
  expect(unreadLabel(unread)).toBe(label);
});
