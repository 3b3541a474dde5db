import type { RoundResult } from "./round.ts";

/** Seconds to recover may be so many: in the middle, and at worst. */
export const recoverWithin = { median: 15, worst: 90 };

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * Seconds that the work at hand takes after a random moment when nothing disturbs: the median of the rounds of the fault "nothing".
 * It is taken off what the other rounds took, as that much they would have taken anyway.
 */
function ownSeconds(results: readonly RoundResult[]): number {
  return median(results.filter(({ fault }) => fault === "nothing").map(({ afterMs }) => afterMs / 1000));
}

export interface Row {
  fault: string;
  rounds: number;
  lost: number;
  doubled: number;
  stuck: number;
  median: number;
  worst: number;
  /** The longest that one page's fetch took after all that. */
  next: number;
}

export function rowsOf(results: readonly RoundResult[]): Row[] {
  const own = ownSeconds(results);
  return [...Map.groupBy(results, ({ fault }) => fault)].map(([fault, rounds]) => {
    const seconds = rounds.map(({ afterMs }) =>
      fault === "nothing" ? afterMs / 1000 : Math.max(0, afterMs / 1000 - own),
    );
    const count = (kind: string) => rounds.filter(({ findings }) => findings.some((one) => one.kind === kind)).length;
    return {
      fault,
      rounds: rounds.length,
      lost: count("lost"),
      doubled: count("doubled"),
      stuck: count("stuck"),
      median: median(seconds),
      worst: Math.max(...seconds),
      next: Math.max(...rounds.map(({ nextMs }) => nextMs / 1000)),
    };
  });
}

/** The table as text; rows of `notRun` say why. */
export function tableOf(results: readonly RoundResult[], notRun: ReadonlyMap<string, string>): string {
  const rows = rowsOf(results);
  const line = (cells: readonly (string | number)[]) =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(24) : String(cell).padStart(8))).join("");
  const shown = (row: Row) =>
    line([
      row.fault,
      row.rounds,
      row.lost,
      row.doubled,
      row.stuck,
      row.median.toFixed(1),
      row.worst.toFixed(1),
      row.next.toFixed(1),
    ]);
  const faulty = results.filter(({ fault }) => fault !== "nothing");
  const own = ownSeconds(results);
  const seconds = faulty.map(({ afterMs }) => Math.max(0, afterMs / 1000 - own));
  const sum = (kind: "lost" | "doubled" | "stuck") => rows.reduce((total, row) => total + row[kind], 0);
  const total: Row = {
    fault: "all faults",
    rounds: faulty.length,
    lost: sum("lost"),
    doubled: sum("doubled"),
    stuck: sum("stuck"),
    median: median(seconds),
    worst: Math.max(0, ...seconds),
    next: Math.max(0, ...faulty.map(({ nextMs }) => nextMs / 1000)),
  };
  return [
    line(["fault", "rounds", "lost", "doubled", "stuck", "median s", "worst s", "next s"]),
    ...rows.map(shown),
    shown(total),
    ...[...notRun].map(([fault, why]) => `${fault}: not run: ${why}`),
  ].join("\n");
}
