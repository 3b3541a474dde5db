import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { z } from "zod";

const folder = resolve(import.meta.dirname, "../../infra/observability");

const rule = z.strictObject({
  alert: z.string().regex(/^WebTester[A-Za-z]+$/),
  expr: z.string().min(1),
  for: z.string().regex(/^\d+m$/),
  labels: z.strictObject({ severity: z.enum(["warning", "critical"]) }),
  annotations: z.strictObject({ summary: z.string().min(10), action: z.string().min(20) }),
});
const rules = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule).min(1) })) });

const panel = z.looseObject({
  id: z.int(),
  title: z.string().min(1),
  type: z.enum(["row", "timeseries", "stat"]),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  targets: z.array(z.looseObject({ expr: z.string().min(1), legendFormat: z.string().min(1) })).optional(),
});
const dashboard = z.looseObject({ uid: z.string(), title: z.string(), schemaVersion: z.int(), panels: z.array(panel) });

describe("alert rules", () => {
  const found = rules
    .parse(parse(readFileSync(join(folder, "alerts.yaml"), "utf8")))
    .groups.flatMap((group) => group.rules);

  test("have names of their own, and say what happens and what to do", () => {
    expect(new Set(found.map(({ alert }) => alert)).size).toBe(found.length);
    expect(found.length).toBeGreaterThan(8);
  });

  test.each(found.map(({ alert, expr }) => [alert, expr]))("%s closes what it opens", (_, expr) => {
    for (const pair of ["()", "{}", "[]"])
      expect(expr.split(pair.charAt(0)).length).toBe(expr.split(pair.charAt(1)).length);
  });
});

describe("the dashboard", () => {
  const { panels } = dashboard.parse(JSON.parse(readFileSync(join(folder, "dashboard.json"), "utf8")));

  test("has panels that ask for something, beside one another", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { type, targets, gridPos } of panels) {
      expect(targets === undefined).toBe(type === "row");
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
  });

  test.each(["queue_oldest", "queue_rows", "pages_total", "load_seconds", "retries", "budget_hits", "compare_seconds"])(
    "answers what an operator asks: %s",
    (name) => {
      expect(JSON.stringify(panels)).toContain(`web_tester_${name}`);
    },
  );
});
