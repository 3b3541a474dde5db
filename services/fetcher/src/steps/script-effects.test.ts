import { describe, expect, test } from "@jest/globals";
import type { KnownEffect } from "@web-tester/records/script-effects/script-effects";
import { createScriptEffects, type KeptEffects } from "./script-effects.js";

const nothingKept: KeptEffects = { find: async () => [], keep: async () => undefined };

const signature = (holders: string) => ({ scripts: "app.js", holders });

/** Returns a fake browser attempt, and counts its calls. */
function attempts(builds: boolean | null) {
  let count = 0;
  const attempt = async () => {
    count += 1;
    return { builds, page: `page ${count}` };
  };
  return { attempt, count: () => count };
}

test("one page is tried for all with the same scripts, those that come meanwhile included", async () => {
  const effects = createScriptEffects(nothingKept);
  const { attempt, count } = attempts(true);
  const found = await Promise.all(Array.from({ length: 5 }, () => effects.of("one", signature("a"), attempt)));
  expect(found).toEqual([
    { builds: true, tried: "page 1" },
    ...Array.from({ length: 4 }, () => ({ builds: true, tried: null })),
  ]);
  expect(await effects.of("one", signature("b"), attempt)).toEqual({ builds: true, tried: "page 2" });
  expect(await effects.of("other", signature("a"), attempt)).toEqual({ builds: true, tried: "page 3" });
  expect(count()).toBe(3);
});

test("where the browser told nothing the next page is tried", async () => {
  const effects = createScriptEffects(nothingKept);
  expect(await effects.of("one", signature("a"), attempts(null).attempt)).toEqual({ builds: null, tried: "page 1" });
  const failing = effects.of("one", signature("a"), () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await effects.of("one", signature("a"), attempts(false).attempt)).toEqual({ builds: false, tried: "page 1" });
});

test("pages that waited for a try that told nothing are tried, as often as may be", async () => {
  const effects = createScriptEffects(nothingKept);
  const { attempt, count } = attempts(null);
  await Promise.all(Array.from({ length: 60 }, () => effects.of("one", signature("a"), attempt)));
  expect(count()).toBeGreaterThan(1);
  expect(count()).toBeLessThanOrEqual(40);
});

test("a page of many is tried again, as it may have what the first had not", async () => {
  const effects = createScriptEffects(nothingKept);
  const first = attempts(false);
  const { length } = await Promise.all(
    Array.from({ length: 499 }, () => effects.of("one", signature("a"), first.attempt)),
  );
  expect([length, first.count()]).toEqual([499, 1]);
  expect(await effects.of("one", signature("a"), attempts(true).attempt)).toEqual({ builds: true, tried: "page 1" });
  expect(await effects.of("one", signature("a"), first.attempt)).toEqual({ builds: true, tried: null });
});

test("pages that were like the first are tried ever more rarely, one at a time, and anew after a day", async () => {
  let now = 0;
  const effects = createScriptEffects(nothingKept, () => now);
  const { attempt, count } = attempts(false);
  const triedOf = async (pages: number) => {
    const before = count();
    await Promise.all(Array.from({ length: pages }, () => effects.of("one", signature("a"), attempt)));
    return count() - before;
  };
  expect([await triedOf(499), await triedOf(1), await triedOf(499), await triedOf(1)]).toEqual([1, 1, 0, 0]);
  expect([await triedOf(999), await triedOf(1), await triedOf(5_999), await triedOf(1)]).toEqual([0, 1, 0, 1]);
  now = 86_400_000;
  expect([await triedOf(10), await triedOf(488), await triedOf(1)]).toEqual([1, 0, 0]);
  expect([await triedOf(1), await triedOf(499)]).toEqual([1, 0]);
});

test("a site whose pages all differ is tried so often an hour, then taken for what most were", async () => {
  let now = 0;
  const effects = createScriptEffects(nothingKept, () => now);
  const { attempt, count } = attempts(true);
  for (let page = 0; page < 60; page += 1)
    expect((await effects.of("one", signature(`${page}`), attempt)).builds).toBe(true);
  expect(count()).toBe(40);
  now = 3_600_000;
  await effects.of("one", signature("later"), attempt);
  expect(count()).toBe(41);
});

test("where no more may be tried, what is known of a page's kind goes on, whatever most pages are", async () => {
  const effects = createScriptEffects(nothingKept);
  const { attempt, count } = attempts(true);
  await effects.of("one", signature("static"), attempts(false).attempt);
  for (let page = 0; page < 39; page += 1) await effects.of("one", signature(`${page}`), attempt);
  const rest = Array.from({ length: 499 }, () => effects.of("one", signature("static"), attempt));
  expect((await Promise.all(rest)).filter(({ builds }) => builds !== false)).toEqual([]);
  expect(count()).toBe(39);
});

describe("a page whose places all stayed empty on others with the same scripts", () => {
  const triesOf = async (
    effects: ReturnType<typeof createScriptEffects>,
    holders: string[],
    builds: boolean | null,
  ) => {
    const { attempt, count } = attempts(builds);
    const found = await effects.of("one", signature(holders.join("\n")), attempt);
    return { builds: found.builds, tries: count() };
  };

  test("is known without a try, and counted for the next one", async () => {
    const effects = createScriptEffects(nothingKept);
    await triesOf(effects, ["clear", "menu"], false);
    await triesOf(effects, ["clear", "index"], false);
    expect(await triesOf(effects, ["clear", "menu", "index"], true)).toEqual({ builds: false, tries: 0 });
    expect(await triesOf(effects, ["clear", "price"], true)).toEqual({ builds: true, tries: 1 });
    const rest = await Promise.all(
      Array.from({ length: 499 }, () => triesOf(effects, ["clear", "menu", "index"], true)),
    );
    expect(rest.map(({ tries }) => tries).filter((tries) => tries > 0)).toEqual([1]);
  });

  test("is tried where a page with one of them was built, where nothing was found out, for other scripts and after a day", async () => {
    let now = 0;
    const effects = createScriptEffects(nothingKept, () => now);
    await triesOf(effects, ["a", "b"], null);
    expect(await triesOf(effects, ["a"], false)).toEqual({ builds: false, tries: 1 });
    await triesOf(effects, ["a", "b"], true);
    expect(await triesOf(effects, ["a", "a again"], false)).toEqual({ builds: false, tries: 1 });
    await triesOf(effects, ["b", "c"], false);
    expect(await triesOf(effects, ["c"], true)).toEqual({ builds: false, tries: 0 });
    const { attempt, count } = attempts(true);
    await effects.of("one", { scripts: "other.js", holders: "b" }, attempt);
    await effects.of("other", signature("b"), attempt);
    expect(count()).toBe(2);
    now = 86_400_000;
    expect(await triesOf(effects, ["b"], true)).toEqual({ builds: true, tries: 1 });
  });

  test("waits for tries that may tell, and is tried where they told nothing", async () => {
    const effects = createScriptEffects(nothingKept);
    const held = Promise.withResolvers<{ builds: boolean | null; page: string }>();
    const trying = effects.of("one", signature("a\nb"), () => held.promise);
    const { attempt, count } = attempts(false);
    const others = ["a", "b"].map((holders) => effects.of("one", signature(holders), attempt));
    const unknown = await effects.of("one", signature("c"), attempt);
    expect([unknown.tried, count()]).toEqual(["page 1", 1]);
    held.resolve({ builds: false, page: "held" });
    expect(await Promise.all([trying, ...others])).toEqual([
      { builds: false, tried: "held" },
      { builds: false, tried: null },
      { builds: false, tried: null },
    ]);

    const failing = Promise.withResolvers<{ builds: boolean | null; page: string }>();
    const failed = effects.of("two", signature("a\nb"), () => failing.promise);
    const other = effects.of("two", signature("a"), attempt);
    failing.reject(new Error("no"));
    await expect(failed).rejects.toThrow("no");
    expect(await other).toEqual({ builds: false, tried: "page 2" });
  });
});

describe("what was found out elsewhere", () => {
  /** The store that several fetchers share, which otherwise know nothing of one another. */
  function shared(now: () => number): KeptEffects {
    const rows = new Map<string, { what: Buffer; builds: boolean; at: number }>();
    const keyOf = (...parts: (string | Buffer)[]) => parts.map((part) => part.toString("hex")).join(" ");
    return {
      async find(objectId, scripts, whats, maxAgeMs) {
        return whats.flatMap((what): KnownEffect[] => {
          const row = rows.get(keyOf(objectId, scripts, what));
          const ageMs = row === undefined ? maxAgeMs : now() - row.at;
          return row === undefined || ageMs >= maxAgeMs ? [] : [{ what, builds: row.builds, ageMs }];
        });
      },
      async keep(objectId, { scripts, places, page, builds }) {
        for (const what of [page, ...places]) rows.delete(keyOf(objectId, scripts, what));
        for (const what of builds ? [page] : places)
          rows.set(keyOf(objectId, scripts, what), { what, builds, at: now() });
      },
    };
  }

  test("needs no try, page by page that is built and place by place that stays empty", async () => {
    const kept = shared(() => 0);
    const [one, other] = [createScriptEffects(kept, () => 0), createScriptEffects(kept, () => 0)];
    await one.of("one", signature("a\nb"), attempts(false).attempt);
    await one.of("one", signature("c"), attempts(true).attempt);
    const { attempt, count } = attempts(true);
    expect(await other.of("one", signature("b"), attempt)).toEqual({ builds: false, tried: null });
    expect(await other.of("one", signature("a\nb"), attempt)).toEqual({ builds: false, tried: null });
    expect(await other.of("one", signature("c"), attempt)).toEqual({ builds: true, tried: null });
    expect(count()).toBe(0);
    expect(await other.of("one", signature("b\nd"), attempt)).toEqual({ builds: true, tried: "page 1" });
    expect(await other.of("two", signature("a"), attempt)).toEqual({ builds: true, tried: "page 2" });
  });

  test("counts no longer than what was found out here", async () => {
    let now = 0;
    const kept = shared(() => now);
    await createScriptEffects(kept, () => now).of("one", signature("a\nb"), attempts(false).attempt);
    now = 80_000_000;
    const other = createScriptEffects(kept, () => now);
    const { attempt, count } = attempts(false);
    await other.of("one", signature("a"), attempt);
    expect(count()).toBe(0);
    now = 86_400_000;
    await other.of("one", signature("a"), attempt);
    await other.of("one", signature("b"), attempt);
    expect(count()).toBe(2);
  });
});

test("what was seen while a crawl looked at a page is kept as a try is", async () => {
  const keeping: unknown[] = [];
  const kept: KeptEffects = { find: async () => [], keep: async (...told) => void keeping.push(told) };
  await createScriptEffects(kept).of("one", signature("a\nb"), attempts(false).attempt);
  await createScriptEffects(kept).note("one", signature("a\nb"), false);
  expect(keeping).toHaveLength(2);
  expect(keeping[1]).toEqual(keeping[0]);
});
