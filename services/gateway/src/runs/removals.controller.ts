import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import { planInstances, planWhole, undoRemovalRow } from "@web-tester/records/removals/plan-removal";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { requireObject } from "../http/require-object.js";
import { toRemoval } from "../http/to-removal.js";
import { selectedIds } from "@web-tester/records/instances/selected-ids";
import { BUS, DB, LOG } from "../parts.js";
import { type DeletionKind, startDeletion } from "./start-deletion.js";

/** Deletes an object or many of its pages: at once, or after a delay during which it can be undone. */
@Controller()
export class RemovalsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @Handles("deleteAll")
  deleteAll(@Parsed() { params, query }: Input<"deleteAll">): Promise<Response<"deleteAll">> {
    return this.delete(params.id, "delete-instances", query.undo_s);
  }

  @Handles("deleteSnapshots")
  deleteSnapshots(@Parsed() { params, query }: Input<"deleteSnapshots">): Promise<Response<"deleteSnapshots">> {
    return this.delete(params.id, "delete-snapshots", query.undo_s);
  }

  @Handles("deleteTestObject")
  deleteTestObject(@Parsed() { params, query }: Input<"deleteTestObject">): Promise<Response<"deleteTestObject">> {
    return this.delete(params.id, "delete-object", query.undo_s);
  }

  @Handles("deleteSelected")
  async deleteSelected(
    @Parsed() { params, query, body }: Input<"deleteSelected">,
  ): Promise<Response<"deleteSelected">> {
    await requireObject(this.db, params.id);
    const ids = await selectedIds(this.db, params.id, body);
    const planned = await this.db.transaction((tx) => planInstances(tx, params.id, ids, query.undo_s));
    return { removal: planned === null ? null : toRemoval(planned) };
  }

  @Handles("undoRemoval")
  async undo(@Parsed() { params }: Input<"undoRemoval">): Promise<Response<"undoRemoval">> {
    const ended = await this.db.transaction((tx) => undoRemovalRow(tx, params.id));
    if (ended === "none")
      throw new AppError(
        "not_found",
        "This deletion waits no more: it was undone already, perhaps by somebody else, or it is complete. What the lists show now is there.",
      );
    if (ended === "begun")
      throw new AppError("conflict", "The deletion has already started and can no longer be undone.");
    return { undone: true };
  }

  private async delete(objectId: string, kind: DeletionKind, undoSeconds: number): Promise<Response<"deleteAll">> {
    if (undoSeconds === 0) {
      const started = await startDeletion(this.db, this.bus, this.log, objectId, kind);
      if (started === null) throw notFound("test object", objectId);
      return { ...started, removal: null };
    }
    const planned = await this.db.transaction((tx) => planWhole(tx, objectId, kind, undoSeconds));
    if (planned === null) throw notFound("test object", objectId);
    return { runId: null, total: planned.total, removal: toRemoval(planned) };
  }
}
