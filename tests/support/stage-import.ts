import type { Queryable } from "@web-tester/platform/database/database";

/**
 * Writes a staged import of one snapshot of the first page of an object.
 * @param hash of its content, which has to exist
 */
export async function stageImport(db: Queryable, url: string, hash: string): Promise<string> {
  const [job] = await db.query<{ id: string }>(
    "INSERT INTO import_job (state, total) VALUES ('applying', 4) RETURNING id",
  );
  const id = job?.id ?? "";
  const rows = [
    { list: 0, record: 0, source_id: "o", parent_id: null, url, data: { name: "Scene" } },
    { list: 1, record: 0, source_id: "i", parent_id: "o", url: `${url}1`, data: { name: "Page" } },
    {
      list: 2,
      record: 0,
      source_id: "s",
      parent_id: "i",
      url: null,
      data: { state: "done", headers: {}, redirects: [], assets: [] },
    },
  ];
  await db.query(
    `INSERT INTO import_row (import_id, list, record, line, source_id, parent_id, url, target_id, content_hash, data)
     SELECT $1, r.list, r.record, 1, r.source_id, r.parent_id, r.url, uuidv7(), CASE WHEN r.list = 2 THEN decode($3, 'hex') END, r.data
     FROM jsonb_to_recordset($2::jsonb) AS r (list int, record int, source_id text, parent_id text, url text, data jsonb)`,
    [id, JSON.stringify(rows), hash],
  );
  return id;
}
