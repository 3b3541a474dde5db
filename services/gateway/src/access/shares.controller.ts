import { Controller, Inject, Req, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { SharedThing } from "@web-tester/contracts/entities/access";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import { insertShare, revokeShare, selectShares, type SharedOf } from "@web-tester/records/shares/shares";
import type { Request, Response as HttpResponse } from "express";
import { sharePrefix } from "../auth/credentials.js";
import type { LiveCredentials } from "../auth/live-credentials.js";
import { newSecret } from "../auth/sign-in.js";
import { type Actor, By } from "../http/actor.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import { DB, LIVE } from "../parts.js";
import { selectRun } from "../snapshots/run-row.js";
import { selectSnapshot } from "../snapshots/select-snapshots.sql.js";

/** Makes, lists and revokes links that show one thing to whoever has them. */
@Controller()
export class SharesController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(LIVE) private readonly live: LiveCredentials,
  ) {}

  @Handles("listShares")
  async list(@Parsed() { query }: Input<"listShares">, @By() actor: Actor): Promise<Response<"listShares">> {
    const filter = {
      objectId: query.testobject_id ?? null,
      kind: query.kind ?? null,
      runId: query.run_id ?? null,
      snapshotId: query.snapshot_id ?? null,
      otherId: query.other_id ?? null,
    };
    return { items: await selectShares(this.db, filter, actor.ownerId) };
  }

  @Handles("createShare")
  async create(
    @Parsed() { body }: Input<"createShare">,
    @By() actor: Actor,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"createShare">> {
    const { note, hours } = body;
    const of = sharedOf(body);
    const objectId = await this.objectOf(of);
    const secret = `${sharePrefix}${newSecret()}`;
    const by = { madeBy: actor.name, makerId: actor.ownerId };
    const made = await insertShare(this.db, { ...of, ...by, objectId, secret, note, hours });
    response.setHeader("Cache-Control", "no-store");
    return { ...made, secret };
  }

  @Handles("revokeShare")
  async revoke(
    @Parsed() { params }: Input<"revokeShare">,
    @By() actor: Actor,
    @Req() request: Request,
  ): Promise<Response<"revokeShare">> {
    const onlyOwn = actor.role !== "admin";
    const revoked = await revokeShare(this.db, params.id, actor.name, actor.ownerId, onlyOwn);
    // links of other people look as if they did not exist
    if (revoked === null) throw notFound(onlyOwn ? "share link of yours" : "share link", params.id);
    this.live.spare(request);
    this.live.endEverywhere([revoked.id]);
    return revoked;
  }

  @Handles("getShared")
  async shared(@Parsed() _input: Input<"getShared">, @By() actor: Actor): Promise<Response<"getShared">> {
    const { share, until } = actor;
    if (share === null || until === null) throw notFound("share link with this call");
    if (share.isGone) throw nothingLeft();
    const { kind, runId, snapshotId, otherId, objectId } = share;
    const [object] = await this.db.query<SharedThing["testobject"]>(`SELECT name, url FROM test_object WHERE id = $1`, [
      objectId,
    ]);
    const page = snapshotId === null ? null : await selectSnapshot(this.db, otherId ?? snapshotId);
    if (object === undefined || (snapshotId !== null && page === null)) throw nothingLeft();
    return {
      ...{ kind, run_id: runId, snapshot_id: snapshotId, other_id: otherId, testobject: object },
      page: page === null ? null : { name: page.instance_name, url: page.instance_url },
      made_by: share.madeBy,
      expires_at: until.toISOString(),
    };
  }

  /**
   * Finds the test object that the shared thing belongs to.
   * @throws AppError not_found
   */
  private async objectOf({ runId, snapshotId, otherId }: SharedOf): Promise<string> {
    if (runId !== null) {
      const run = await selectRun(this.db, runId);
      if (run === null || !(run.kind.startsWith("snapshot-") || run.kind === "compare"))
        throw notFound("fetch run", runId);
      return run.testobject_id;
    }
    const one = snapshotId === null ? null : await selectSnapshot(this.db, snapshotId);
    if (one === null) throw notFound("snapshot", snapshotId ?? "");
    const other = otherId === null ? one : await selectSnapshot(this.db, otherId);
    if (other === null) throw notFound("snapshot", otherId ?? "");
    return other.object_id;
  }
}

/** Makes the error for whoever opens a link to something that was removed; they have no list to go back to. */
function nothingLeft(): AppError {
  return new AppError("not_found", "What this link showed no longer exists: it was deleted, or retention removed it.");
}

/**
 * Checks that exactly the ids were given that the kind needs.
 * @throws AppError invalid_input
 */
function sharedOf({
  kind,
  run_id: run,
  snapshot_id: snapshot,
  other_id: other,
}: Input<"createShare">["body"]): SharedOf {
  const needs = { review: "run_id", snapshot: "snapshot_id", difference: "snapshot_id and other_id" } as const;
  const isRight = {
    review: run !== undefined && snapshot === undefined && other === undefined,
    snapshot: run === undefined && snapshot !== undefined && other === undefined,
    difference: run === undefined && snapshot !== undefined && other !== undefined,
  };
  if (!isRight[kind])
    throw invalidInput([{ path: "body.kind", message: `a link to a ${kind} needs ${needs[kind]}, and no other id` }]);
  return { kind, runId: run ?? null, snapshotId: snapshot ?? null, otherId: other ?? null };
}
