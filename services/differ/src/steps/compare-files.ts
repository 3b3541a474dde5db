import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { Database } from "@web-tester/platform/database/database";
import { changedFiles } from "@web-tester/records/assets/changed-files";
import { selectFiles } from "@web-tester/records/assets/snapshot-assets";

/** Snapshots whose lists of files are read at once; each may have a thousand. */
const listsAtOnce = 20;

/** Files that differ from those of the snapshot before, by snapshot. Where one of the two kept none, there is nothing to compare. */
export async function compareFiles(
  db: Database,
  pending: readonly { id: string; previousId: string | null; filesDiffer: boolean }[],
): Promise<Map<string, ChangedFile[]>> {
  const differing = pending.filter(({ filesDiffer, previousId }) => filesDiffer && previousId !== null);
  const found = new Map<string, ChangedFile[]>();
  for (let first = 0; first < differing.length; first += listsAtOnce) {
    const part = differing.slice(first, first + listsAtOnce);
    const lists = await selectFiles(
      db,
      part.flatMap(({ id, previousId }) => (previousId === null ? [] : [id, previousId])),
    );
    for (const { id, previousId } of part) {
      const [before, after] = [lists.get(previousId ?? ""), lists.get(id)];
      if (before !== undefined && after !== undefined) found.set(id, changedFiles(before, after));
    }
  }
  return found;
}
