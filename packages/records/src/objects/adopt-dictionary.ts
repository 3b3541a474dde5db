import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/**
 * Limits for a page that serves as its site's dictionary: long enough to contain the boilerplate, short enough to be loaded for every page
 * (on a manual 8 KB save 18 % of first versions, 32 KB 21 % at nearly twice the time).
 */
const minBytes = 4 * 1024;
const maxBytes = 12 * 1024;

/** @param bytes length of a content */
export function canBeDictionary(bytes: number): boolean {
  return bytes >= minBytes && bytes <= maxBytes;
}

const adopt = prepared(`
  UPDATE test_object o SET dictionary_hash = c.hash
  FROM (
    SELECT hash FROM content
    WHERE hash IN (SELECT decode(h, 'hex') FROM unnest($2::text[]) AS h) AND stored AND base_hash IS NULL AND size BETWEEN $3 AND $4
    ORDER BY size DESC LIMIT 1
  ) c
  WHERE o.id = $1 AND o.dictionary_hash IS NULL`);

/**
 * Makes one of the given contents the dictionary of an object's site, if there is none yet and one is fit: first versions of the other
 * pages are stored against it. Snapshots must already refer to these contents.
 * @param hashes hex
 */
export async function adoptDictionary(db: Queryable, objectId: string, hashes: readonly string[]): Promise<void> {
  await db.query(adopt, [objectId, hashes, minBytes, maxBytes]);
}
