import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { OriginMap } from "@web-tester/contracts/messages";
import type { Database } from "@web-tester/platform/database/database";
import { changedFiles, type KeptFiles } from "@web-tester/records/assets/changed-files";
import { selectFiles } from "@web-tester/records/assets/snapshot-assets";
import { readAsOrigin } from "../pure/read-as-origin.js";

/** Snapshots whose lists of files are read at once; each list may have a thousand files. */
const listsAtOnce = 20;

/**
 * Returns, by snapshot, the files that differ from those of the snapshot before. Where one of the two kept no files, there
 * is nothing to compare. `readAs`: how addresses of the older ones are read.
 */
export async function compareFiles(
  db: Database,
  pending: readonly { id: string; previousId: string | null; filesDiffer: boolean }[],
  readAs?: OriginMap,
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
      if (before !== undefined && after !== undefined) found.set(id, changedFiles(filesAs(before, readAs), after));
    }
  }
  return found;
}

/** Maps the files of another site to the addresses that they would have on this one. */
const filesAs = ({ files, scripts }: KeptFiles, readAs: OriginMap | undefined): KeptFiles =>
  readAs === undefined
    ? { files, scripts }
    : {
        files: files.map((file) => ({ ...file, url: readAsOrigin(Buffer.from(file.url), readAs).toString() })),
        scripts,
      };
