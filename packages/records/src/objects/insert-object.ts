import { type SettingName, settingNames } from "@web-tester/contracts/object-settings";
import type { Queryable } from "@web-tester/platform/database/database";
import type { StagedObject } from "../imports/staged-objects.js";

const insert = `INSERT INTO test_object (name, url) VALUES ($1, $2) RETURNING id`;

/** Registers a site with the default settings. @returns id of the new test object */
export async function insertObject(db: Queryable, name: string, url: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(insert, [name, url]);
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}

/** Registers a site as a file describes it; settings that the file does not contain get the product's defaults. */
export async function insertImported(tx: Queryable, url: string, { target_id, data }: StagedObject): Promise<void> {
  const given: SettingName[] = settingNames.filter((name) => data[name] !== undefined);
  const { sealed, created_at: createdAt } = data;
  const columns = ["id", "url", "name", "auth_password_sealed", "created_at", ...given];
  const values = [
    "$1",
    "$2",
    "$3",
    "decode($4, 'hex')",
    "coalesce(to_timestamp($5::float8 / 1000), now())",
    ...given.map((column) => `r.${column}`),
  ];
  // not an injection: the column names come from our own list; the types are those of the table
  await tx.query(
    `INSERT INTO test_object (${columns.join(", ")}) SELECT ${values.join(", ")} FROM jsonb_populate_record(NULL::test_object, $6::jsonb) r`,
    [
      target_id,
      url,
      data.name,
      typeof sealed === "string" ? sealed : null,
      typeof createdAt === "number" ? createdAt : null,
      JSON.stringify(Object.fromEntries(given.map((column) => [column, data[column]]))),
    ],
  );
}
