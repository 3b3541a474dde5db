import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { fetchMode } from "@web-tester/contracts/entities/vocabulary";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { fetchProgress } from "@web-tester/records/runs/run-progress";
import { type Sign, Signed } from "../http/actor.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { BUS, DB } from "../parts.js";
import { toSummary } from "../snapshots/to-test-snapshot.js";
import { deleteInstanceRows } from "@web-tester/records/instances/delete-instance";
import { settleAfterDeletion } from "@web-tester/records/runs/settle-run";
import { planInstances, selectRemovalOf } from "@web-tester/records/removals/plan-removal";
import { toRemoval } from "../http/to-removal.js";
import { selectInstance } from "./select-instance.sql.js";
import { type InstanceFilter, selectInstances } from "./select-instances.sql.js";
import { toListItem } from "./to-list-item.js";
import { toPreview } from "./to-preview.js";

@Controller()
export class InstancesController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  @Handles("listTestInstances")
  async list(
    @Parsed() { params, query }: Input<"listTestInstances">,
    @Signed() sign: Sign,
  ): Promise<Response<"listTestInstances">> {
    const text = query.q?.trim() ?? "";
    const filter: InstanceFilter = {
      objectId: params.id,
      status: query.status ?? null,
      text: text === "" ? null : text,
      order: query.sort ?? null,
    };
    const page = await selectInstances(this.db, filter, query.limit, query.offset);
    if (page === null) throw notFound("test object", params.id);
    const { items, total } = page;
    return {
      items: items.map((item) => toListItem(item, sign)),
      hasMore: query.offset + items.length < total && items.length > 0,
      total,
    };
  }

  @Handles("getTestInstance")
  async get(
    @Parsed() { params, query }: Input<"getTestInstance">,
    @Signed() sign: Sign,
  ): Promise<Response<"getTestInstance">> {
    const row = await selectInstance(this.db, params.id, query.limit, query.offset);
    if (row === null) throw notFound("instance", params.id);
    const { snapshots } = row;
    const removal = await selectRemovalOf(this.db, params.id);
    return {
      id: row.id,
      name: row.name,
      url: row.url,
      created_at: row.created_at.toISOString(),
      status: row.status,
      testobject: {
        id: row.object_id,
        name: row.object_name,
        url: row.object_url,
        asset_snapshots: row.asset_snapshots,
        fetch_mode: fetchMode.parse(row.fetch_mode),
      },
      preview: row.asset_snapshots ? toPreview(snapshots, row.viewport, sign) : null,
      testsnapshots: snapshots.map((snapshot) => toSummary(snapshot, sign)),
      snapshots_total: row.snapshots_total,
      removal: removal === null ? null : toRemoval(removal),
    };
  }

  @Handles("deleteTestInstance")
  async remove(@Parsed() { params, query }: Input<"deleteTestInstance">): Promise<Response<"deleteTestInstance">> {
    if (query.undo_s > 0) return this.planOne(params.id, query.undo_s);
    const runs = await this.db.transaction(async (tx) => {
      const objectId = await objectOf(tx, params.id);
      const lowered = await deleteInstanceRows(tx, params.id);
      if (objectId !== null) await settleAfterDeletion(tx, objectId);
      return lowered;
    });
    if (runs === null) throw notFound("instance", params.id);
    for (const run of runs) this.bus.publishEvent(fetchProgress(run));
    return { deleted: 1, removal: null };
  }

  private async planOne(id: string, undoSeconds: number): Promise<Response<"deleteTestInstance">> {
    const objectId = await objectOf(this.db, id);
    const planned =
      objectId === null ? null : await this.db.transaction((tx) => planInstances(tx, objectId, [id], undoSeconds));
    if (planned === null) throw notFound("instance", id);
    return { deleted: 1, removal: toRemoval(planned) };
  }
}

async function objectOf(db: Queryable, instanceId: string): Promise<string | null> {
  const [instance] = await db.query<{ objectId: string }>(
    `SELECT test_object_id AS "objectId" FROM test_instance WHERE id = $1`,
    [instanceId],
  );
  return instance?.objectId ?? null;
}
