import type { SearchResult } from "@web-tester/contracts/entities/search";

/** One page of the site with its snapshots that contain the phrase, latest first. */
export interface PageResults {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly latest: SearchResult;
  readonly others: readonly SearchResult[];
}

/** Groups results by page, in the order in which pages first occur. */
export function groupResults(results: readonly SearchResult[]): PageResults[] {
  return [...Map.groupBy(results, (result) => result.testInstanceId).values()].flatMap((group) => {
    const [latest, ...others] = new Map(group.map((result) => [result.snapshotId, result])).values();
    return latest === undefined
      ? []
      : [{ id: latest.testInstanceId, name: latest.testInstanceName, url: latest.testInstanceUrl, latest, others }];
  });
}
