import type { AppliedRule, RuleSpec } from "@web-tester/contracts/entities/rule";
import { wildcardSet } from "@web-tester/urls/wildcard-set";
import type { Learned } from "./learned.js";

/** SHA-256 (hex) of files at one time, by address; files that could not be loaded are missing. */
export type FileHashes = ReadonlyMap<string, string>;

const shownChars = 12;

/**
 * Returns rules for files that differed between two fetches seconds apart. Addresses that differ only in their query share
 * a rule.
 * @param looked the number of pages that were examined
 */
export function rulesForFiles(
  files: readonly { url: string; pages: number }[],
  [before, after]: readonly [FileHashes, FileHashes],
  { looked, rules }: { looked: number; rules: readonly AppliedRule[] },
): Learned[] {
  const isKnown = wildcardSet(rules.flatMap(({ kind, pattern }) => (kind === "file" ? [pattern ?? ""] : [])));
  const different = files.filter(({ url }) => {
    const [was, is] = [before.get(url), after.get(url)];
    return was !== undefined && is !== undefined && was !== is && isKnown(url) === -1;
  });
  const byPath = Map.groupBy(different, ({ url }) => url.replace(/\?.*$/s, ""));
  return [...byPath].map(([path, same]) => {
    const [first] = same;
    const pattern = same.length === 1 && first !== undefined ? first.url : `${path}*`;
    const values = same.flatMap(({ url }) => [before.get(url) ?? "", after.get(url) ?? ""]);
    return {
      spec: { ...fileRule, pattern },
      evidence: {
        pages: Math.max(...same.map(({ pages }) => pages)),
        looked,
        values: values.slice(0, 2).map((hash) => `SHA-256 ${hash.slice(0, shownChars)}…`),
        share: 0,
      },
    };
  });
}

const fileRule: RuleSpec = {
  ...{ kind: "file", selector: null, name: null, parameter: null, pattern: null },
  ...{ syntax: "literal", before: null, after: null },
};
