import type { Finding } from "../check/findings.js";

/** What of a list one answer says at most; an assistant asks again where it wants more. */
export const listedMax = 50;

/** Findings as an assistant is told them, those that wait first. */
export function toldFindings(findings: readonly Finding[]): { findings: Finding[]; more: boolean } {
  const ordered = findings.toSorted((one, other) => Number(other.waits) - Number(one.waits));
  return { findings: ordered.slice(0, listedMax), more: findings.length > listedMax };
}
