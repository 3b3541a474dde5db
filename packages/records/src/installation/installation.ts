import type { Queryable } from "@web-tester/platform/database/database";
import type { Installation } from "@web-tester/platform/object-store/object-store";

const select = `SELECT id, has_marked AS "hasMarked" FROM installation`;

/** Returns which installation a database is, as the object store needs it. */
export async function readInstallation(db: Queryable): Promise<Installation> {
  const [known] = await db.query<{ id: string; hasMarked: boolean }>(select);
  // a read-only database is not written to; the migration has made the row, unless somebody has emptied all tables
  if (known === undefined) await db.query("INSERT INTO installation DEFAULT VALUES ON CONFLICT DO NOTHING");
  const [row] = known === undefined ? await db.query<{ id: string; hasMarked: boolean }>(select) : [known];
  if (row === undefined) throw new Error("the installation has no row");
  return {
    ...row,
    noteMarked: async () => {
      await db.query("UPDATE installation SET has_marked = true WHERE NOT has_marked");
    },
  };
}
