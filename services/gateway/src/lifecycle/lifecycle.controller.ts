import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import { type Undone, undoMove } from "@web-tester/records/lifecycle/follow-move";
import { type LifecycleRow, selectEachLifecycle, selectLifecycle } from "@web-tester/records/lifecycle/page-lifecycle";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { requireObject } from "../http/require-object.js";
import { DB } from "../parts.js";

const refusals: Readonly<Record<Exclude<Undone, "undone" | "none">, string>> = {
  taken: "The old address has a page of its own again. Delete that one first.",
  busy: "The page is being fetched. Wait until that is done and try again.",
};

/** Lists pages that came and went, and undoes moves. */
@Controller()
export class LifecycleController {
  constructor(@Inject(DB) private readonly db: Database) {}

  @Handles("listLifecycle")
  async list(@Parsed() { params, query }: Input<"listLifecycle">): Promise<Response<"listLifecycle">> {
    await requireObject(this.db, params.id);
    const { kind = null, run_id: runId = null, review_of: reviewOf = null, cursor = null, each, limit } = query;
    const asked = { kind, runId, reviewOf };
    if (each !== undefined) {
      const some = await selectEachLifecycle(this.db, params.id, asked, each);
      const counts = Object.fromEntries(some.map(({ row, total }) => [row.kind, total]));
      return { items: some.map(({ row }) => toEntry(row)), counts, nextCursor: null };
    }
    const rows = await selectLifecycle(this.db, params.id, asked, cursor, limit + 1);
    const shown = rows.slice(0, limit);
    return { items: shown.map(toEntry), nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
  }

  @Handles("undoMove")
  async undo(@Parsed() { params }: Input<"undoMove">): Promise<Response<"undoMove">> {
    const ended = await this.db.transaction((tx) => undoMove(tx, params.id));
    if (ended === "none") throw notFound("move that can be undone", params.id);
    if (ended !== "undone") throw new AppError("conflict", refusals[ended]);
    return { undone: true };
  }
}

function toEntry({ instance_id: id, name, created_at, undone_at, ...row }: LifecycleRow) {
  return {
    ...row,
    instance: { id, name },
    created_at: created_at.toISOString(),
    undone_at: undone_at?.toISOString() ?? null,
  };
}
