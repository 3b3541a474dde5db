import type { Finding } from "../check/findings.js";

/** The most items of a list in one answer. */
export const listedMax = 50;

/** Returns findings for an assistant, waiting ones first. */
export function toldFindings(findings: readonly Finding[]): { findings: Finding[]; more: boolean } {
  const ordered = findings.toSorted((one, other) => Number(other.waits) - Number(one.waits));
  return { findings: ordered.slice(0, listedMax), more: findings.length > listedMax };
}
