import type { Queryable } from "@web-tester/platform/database/database";
import { ofObject } from "../imports/staged-objects.js";

const insertInstanceRows = `
  WITH given AS (
    SELECT i.url, i.record, i.data ${ofObject}
  ), fresh AS (
    INSERT INTO test_instance (test_object_id, url, name, created_at)
    SELECT $3, url, data ->> 'name', coalesce(to_timestamp((data ->> 'created_at')::float8 / 1000), now())
    FROM (SELECT DISTINCT ON (url) * FROM given ORDER BY url, record) g
    ON CONFLICT (test_object_id, url) DO NOTHING RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM given) AS given, (SELECT count(DISTINCT url)::int FROM given) AS pages, (SELECT count(*)::int FROM fresh) AS fresh`;

const lockInstances = `
  SELECT t.id FROM test_instance t WHERE t.test_object_id = $3 AND t.url IN (SELECT i.url ${ofObject})
  ORDER BY t.id FOR NO KEY UPDATE`;

export interface Counted {
  /** Number of the file's records. */
  given: number;
  /** The number of instances that did not exist before. */
  fresh: number;
}

/** Creates the instances of an object, merged by canonical address, and locks them: none can be deleted, or get a snapshot, before the transaction ends. */
export async function importInstances(
  tx: Queryable,
  importId: string,
  target: string,
  objectId: string,
): Promise<Counted> {
  const values = [importId, target, objectId];
  const insert = async () => {
    const [row] = await tx.query<Counted & { pages: number }>(insertInstanceRows, values);
    return row ?? { given: 0, pages: 0, fresh: 0 };
  };
  const { pages, ...counted } = await insert();
  const locked = await tx.query(lockInstances, values);
  // an instance that existed a moment ago was deleted meanwhile, so it is inserted again
  return locked.length === pages ? counted : { ...counted, fresh: counted.fresh + (await insert()).fresh };
}
