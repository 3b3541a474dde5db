import { expect, test } from "@jest/globals";
import { navigation } from "./navigation.js";

test.each([
  ["/", "Objects"],
  ["/objects/1/rules", "Objects"],
  ["/instances/1", "Objects"],
  ["/snapshots/1/render", "Objects"],
  ["/diff/bulk", "Objects"],
  ["/runs/1/review", "Objects"],
  ["/checks", "Objects"],
  ["/schedules", "Objects"],
  ["/diff-anything", "Diff Anything"],
  ["/format-html", "HTML Formatter"],
  ["/import-export", "Import/Export"],
])("the navigation says where %s is: %s", (path, label) => {
  expect(navigation.filter(({ isHere }) => isHere(path)).map((link) => link.label)).toEqual([label]);
});

test.each(["/imprint", "/no/such/screen"])("%s is below none of its links", (path) => {
  expect(navigation.some(({ isHere }) => isHere(path))).toBe(false);
});
