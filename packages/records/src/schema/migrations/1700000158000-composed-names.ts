import type { MigrationInterface, QueryRunner } from "typeorm";

/** Columns of names. */
const names = [
  ["test_object", "name"],
  ["test_instance", "name"],
  ["channel", "name"],
  ["api_token", "name"],
  ["import_job", "name"],
  ["run", "label"],
  ["release_check", "branch"],
  ["release_check", "against"],
] as const;

/** Columns of JSON, and the names in it. */
const namesInJson = [
  ["route", "spec", "tag"],
  ["route", "spec", "text"],
  ["comparison", "one", "label"],
  ["comparison", "other", "label"],
] as const;

/**
 * Brings names that earlier versions stored as they were typed into the form in which names are stored now: a letter followed by an accent
 * becomes one letter (Unicode NFC). Objects, pages and channels of which both spellings exist stay two with one name, as before; a tag that
 * an object had in both spellings is kept once.
 */
export class ComposedNames1700000158000 implements MigrationInterface {
  readonly name = "ComposedNames1700000158000";

  async up(runner: QueryRunner): Promise<void> {
    // PostgreSQL knows these forms for UTF-8 only
    const [row]: { server_encoding: string }[] = await runner.query("SHOW server_encoding");
    if (row?.server_encoding !== "UTF8") return;
    for (const [table, column] of names)
      await runner.query(`UPDATE ${table} SET ${column} = normalize(${column}) WHERE ${column} IS NOT NFC NORMALIZED`);
    for (const [table, column, key] of namesInJson)
      await runner.query(
        `UPDATE ${table} SET ${column} = ${column} || jsonb_build_object('${key}', normalize(${column} ->> '${key}'))
         WHERE ${column} ->> '${key}' IS NOT NFC NORMALIZED`,
      );
    await runner.query(
      `UPDATE test_object SET tags = (
         SELECT array_agg(tag ORDER BY place) FROM (
           SELECT normalize(each) AS tag, min(place) AS place FROM unnest(tags) WITH ORDINALITY AS t (each, place) GROUP BY 1
         ) AS kept
       ) WHERE EXISTS (SELECT FROM unnest(tags) AS each WHERE each IS NOT NFC NORMALIZED)`,
    );
  }

  /** Nothing to undo: earlier versions show and compare these names as they are. */
  async down(): Promise<void> {}
}
