import { describe, expect, test } from "@jest/globals";
import { budgets } from "@web-tester/contracts/limits";
import { createTrapDetector } from "./traps.js";

const at = (path: string) => new URL(path, "https://site.example");

describe("trapOf", () => {
  test.each(["/a/a/a/a", "/a/b/a/b/a/b", "/x/a/b/c/a/b/c/a/b/c/d", "/1/a/2/a/3/a/4/a/5/a/6/a/7/a"])(
    "%s repeats itself",
    (path) => expect(createTrapDetector().trapOf(at(path))).toContain("path repeats"),
  );

  test.each([
    "/",
    "/a/a/b",
    "/2024/05/05/title",
    "/en/docs/en/docs",
    "/a/b/c/d/e/f/g/h/i/j/k",
    "/list?page=7",
    "/l?tag[]=a&tag[]=b&tag[]=c&tag[]=d",
  ])("%s may be a page", (path) => expect(createTrapDetector().trapOf(at(path))).toBeNull());

  test("one parameter many times is one", () =>
    expect(createTrapDetector().trapOf(at("/f?a=1&a=1&a=1&a=1"))).toContain("repeats one parameter"));

  test("the same parameters in another order are the first one's page", () => {
    const { trapOf } = createTrapDetector();
    expect(trapOf(at("/f?a=1&b=2"))).toBeNull();
    expect(trapOf(at("/f?b=2&a=1"))).toContain("another order");
    expect(trapOf(at("/g?b=2&a=1"))).toBeNull();
    expect(trapOf(at("/f?a=1&b=2"))).toBeNull();
  });

  test("thousands of combinations on one path end, on other paths they begin anew", () => {
    const { trapOf } = createTrapDetector();
    const judge = (path: string, number: number) => trapOf(at(`${path}?a=${number}&b=1&c=1`));
    for (let number = 0; number < budgets.queryVariantsMax; number += 1) expect(judge("/shop", number)).toBeNull();
    expect(judge("/shop", budgets.queryVariantsMax)).toContain("combinations");
    expect(judge("/other", 1)).toBeNull();
  });
});
