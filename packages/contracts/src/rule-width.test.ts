import { expect, test } from "@jest/globals";
import { ruleSpec } from "./entities/rule.js";
import { hidesAnyWords } from "./rule-width.js";

test.each([
  [{ kind: "element", selector: "p" }, true],
  [{ kind: "element", selector: "p", pattern: "[0-9]{1,4}", syntax: "re2" }, false],
  [{ kind: "element", selector: "p", pattern: "Updated *" }, true],
  [{ kind: "attribute", selector: "p", name: "id" }, true],
  [{ kind: "attribute", selector: "p", name: "id", pattern: "[0-9a-f]{32}", syntax: "re2" }, false],
  [{ kind: "text", pattern: "Just now" }, false],
  [{ kind: "text", pattern: "Read * times" }, true],
  [{ kind: "text", pattern: "Read ([0-9]{1,6}) times", syntax: "re2" }, false],
  [{ kind: "text", pattern: "Printed on (\\p{L}{1,12} [0-9]{1,3})", syntax: "re2" }, false],
  [{ kind: "text", pattern: "Ad: ([^<>\\n]{0,300}?) End", syntax: "re2" }, true],
  [{ kind: "text", pattern: "Ad: (.*) End", syntax: "re2" }, true],
  [{ kind: "text", pattern: "<b[^<>]{0,200}>([0-9]{1,3} (?:min|h))<", syntax: "re2" }, false],
  [{ kind: "text", pattern: "<b>(a|[^<]*)(?:x)<", syntax: "re2" }, true],
  [{ kind: "text", pattern: "a\\.+", syntax: "re2" }, false],
  [{ kind: "between", before: "a", after: "b" }, true],
  [{ kind: "order", selector: "ul" }, false],
  [{ kind: "markup" }, false],
])("%j hides any words: %s", (spec, expected) => {
  expect(hidesAnyWords(ruleSpec.parse(spec))).toBe(expected);
});
