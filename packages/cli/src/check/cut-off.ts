import type { Run } from "@web-tester/contracts/entities/run";

const remedies = {
  pages: "Raise it with --max-pages, or under Options.",
  time: "Raise it under Options.",
  bytes: "Raise it under Options.",
} as const;

/** Says that a crawl ended at one of its limits, so that pages may be missing; null if it came to its own end. @param name of the site */
export function cutOff(name: string, { ended_by: limit }: Pick<Run, "ended_by">): string | null {
  if (limit === null) return null;
  return `The crawl of ${name} ended at its limit of ${limit}, so pages may be missing. ${remedies[limit]}`;
}
