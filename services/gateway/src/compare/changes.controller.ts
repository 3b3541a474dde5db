import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { Database } from "@web-tester/platform/database/database";
import { Handles, Parsed } from "../http/handles.js";
import { DB } from "../parts.js";
import { requireObject } from "../http/require-object.js";
import { selectChanges } from "./select-changes.sql.js";

/** Lists what changed on a site, and when. */
@Controller()
export class ChangesController {
  constructor(@Inject(DB) private readonly db: Database) {}

  @Handles("listChanges")
  async list(@Parsed() { params, query }: Input<"listChanges">): Promise<Response<"listChanges">> {
    await requireObject(this.db, params.id);
    const { limit, cursor = null } = query;
    const since = new Date(query.since);
    const found = await selectChanges(this.db, params.id, since, cursor, limit + 1);
    const rows = found.rows.slice(0, limit);
    return {
      since: since.toISOString(),
      total: found.total,
      pending: found.pending,
      changes: found.changes,
      linesAdded: found.added,
      linesRemoved: found.removed,
      items: rows.map((row) => ({
        instance: { id: row.id, name: row.name, url: row.url },
        changes: row.changes,
        linesAdded: row.added,
        linesRemoved: row.removed,
        coarse: row.coarse,
        firstAt: new Date(row.first_at).toISOString(),
        lastAt: new Date(row.last_at).toISOString(),
        before: row.before_id,
        last: row.last_id,
      })),
      nextCursor: found.rows.length > limit ? (rows.at(-1)?.last_id ?? null) : null,
    };
  }
}
