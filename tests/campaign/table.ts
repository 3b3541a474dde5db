import type { RoundResult } from "./round.ts";

/** The most seconds that a recovery should take: in the median, and at worst. */
export const recoverWithin = { median: 15, worst: 90 };

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * How many seconds the work needs to end after a random moment without faults: the median of the rounds of the fault "nothing".
 * It is subtracted from the times of the other rounds, as they would have needed that long anyway.
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
  /** The most seconds that the fetch of one page took that was requested after the recovery. */
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

/** Formats the results as a table, with a line for each fault that was not run and the reason. */
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
