import type { InstanceSelection } from "@web-tester/contracts/entities/removal";
import type { Queryable } from "@web-tester/platform/database/database";
import { encodedPart } from "@web-tester/urls/encoded-part";

/** The status is asked by its order, because the index has that. */
const select = `
  SELECT id FROM test_instance
  WHERE test_object_id = $1 AND removal_id IS NULL AND ($2::uuid[] IS NULL OR id = ANY($2))
    AND CASE $3::text WHEN 'gone' THEN lifecycle IS NOT NULL WHEN 'changed' THEN status = 'changed' WHEN 'failed' THEN status = 'failed' ELSE true END
    AND ($4::text[] IS NULL OR name ILIKE ($4::text[])[1] OR url ILIKE ($4::text[])[2])
  ORDER BY id`;

/** Returns the ids of the named instances that belong to the object and are not about to be deleted, or of all that match a filter. */
export async function selectedIds(
  db: Queryable,
  objectId: string,
  { ids, status, q }: InstanceSelection,
): Promise<string[]> {
  const text = q?.trim() ?? "";
  const containing = (part: string) => `%${part.replace(/[\\%_]/g, "\\$&")}%`;
  // of names, and of addresses
  const patterns = text === "" ? null : [text, encodedPart(text)].map(containing);
  const rows = await db.query<{ id: string }>(select, [objectId, ids ?? null, status ?? null, patterns]);
  return rows.map(({ id }) => id);
}
