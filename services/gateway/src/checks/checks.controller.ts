import { randomBytes } from "node:crypto";
import { Controller, Get, Inject, Param, Req, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { ReleaseCheck } from "@web-tester/contracts/entities/check";
import { AppError } from "@web-tester/contracts/errors";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { badgeMadeAt, deleteBadge, findBadge, putBadge } from "@web-tester/records/checks/badges";
import { decideCheck, insertCheck, selectCheck, selectChecks, updateCheck } from "@web-tester/records/checks/checks";
import { giveVerdict, overruleProblems } from "@web-tester/records/reviews/verdicts";
import { settleRun } from "@web-tester/records/runs/settle-run";
import type { Request, Response as HttpResponse } from "express";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { parseInput } from "../http/parse-input.js";
import { Public } from "../http/public.js";
import { requireObject } from "../http/require-object.js";
import { DB, type GatewayOptions, OPTIONS } from "../parts.js";
import { type Actor, By } from "../http/actor.js";
import { callerOf } from "../http/caller-of.js";
import { badgePicture } from "./badge-picture.js";

const secretBytes = 32;

/** Starts, lists and decides checks of releases, and serves their badges. */
@Controller()
export class ChecksController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  @Handles("startCheck")
  async start(
    @Parsed() { params, body }: Input<"startCheck">,
    @Req() request: Request,
  ): Promise<Response<"startCheck">> {
    return this.db.transaction(async (tx) => {
      await requireObject(tx, params.id);
      return requireCheck(tx, await insertCheck(tx, params.id, body, callerOf(request)));
    });
  }

  @Handles("updateCheck")
  async update(@Parsed() { params, body }: Input<"updateCheck">): Promise<Response<"updateCheck">> {
    const { run_id: runId = null, error } = body;
    await requireCheck(this.db, params.id);
    if (!(await updateCheck(this.db, params.id, { runId, error })))
      throw notFound("comparison of this test object", runId ?? "");
    return requireCheck(this.db, params.id);
  }

  @Handles("listChecks")
  async list(@Parsed() { query }: Input<"listChecks">): Promise<Response<"listChecks">> {
    const { testobject_id: objectId = null, branch = null, commit = null, cursor = null, limit } = query;
    const found = await selectChecks(this.db, { objectId, branch, commit }, cursor, limit + 1);
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  @Handles("getCheck")
  get(@Parsed() { params }: Input<"getCheck">): Promise<Response<"getCheck">> {
    return requireCheck(this.db, params.id);
  }

  @Handles("decideCheck")
  async decide(
    @Parsed() { params, body }: Input<"decideCheck">,
    @By() { name: author }: Actor,
  ): Promise<Response<"decideCheck">> {
    const { decision, note } = body;
    const { state } = await requireCheck(this.db, params.id);
    if (state === "running" || state === "failed")
      throw new AppError(
        "conflict",
        state === "running"
          ? "This check is still running. Say what you think of it when it has ended."
          : "This check could not run: there is nothing to accept or to reject.",
      );
    return this.db.transaction(async (tx) => {
      const decided = await decideCheck(tx, params.id, { decision, note, author });
      if (decided?.runId != null && decision === "accepted") {
        // the lock makes simultaneous verdicts follow one another, as in a review
        await tx.query(`SELECT 1 FROM run WHERE id = $1 FOR NO KEY UPDATE`, [decided.runId]);
        const given = { verdict: "accepted", note, author } as const;
        await giveVerdict(tx, decided.runId, "all", given);
        // whoever accepts the whole check has seen that changes in it were rejected
        await overruleProblems(tx, decided.runId, given);
        await settleRun(tx, decided.runId);
      }
      return requireCheck(tx, params.id);
    });
  }

  @Handles("getBadge")
  async getBadge(@Parsed() { params }: Input<"getBadge">): Promise<Response<"getBadge">> {
    await requireObject(this.db, params.id);
    return { created_at: await badgeMadeAt(this.db, params.id) };
  }

  @Handles("createBadge")
  async createBadge(@Parsed() { params }: Input<"createBadge">): Promise<Response<"createBadge">> {
    await requireObject(this.db, params.id);
    const secret = randomBytes(secretBytes).toString("base64url");
    await putBadge(this.db, params.id, secret);
    return { url: `${this.options.publicUrl}/badges/${secret}.svg` };
  }

  @Handles("deleteBadge")
  async removeBadge(@Parsed() { params }: Input<"deleteBadge">): Promise<Response<"deleteBadge">> {
    await requireObject(this.db, params.id);
    return { deleted: (await deleteBadge(this.db, params.id)) ? 1 : 0 };
  }

  /** Serves a badge. Whoever has its address sees the object's name and how a check ended, and nothing else. */
  @Get("/badges/:file")
  @Public()
  async badge(@Param("file") file: string, @Req() request: Request, @Res() response: HttpResponse): Promise<void> {
    const objectId = file.endsWith(".svg") ? await findBadge(this.db, file.slice(0, -".svg".length)) : null;
    const [object] =
      objectId === null
        ? []
        : await this.db.query<{ name: string }>(`SELECT name FROM test_object WHERE id = $1`, [objectId]);
    if (object === undefined)
      throw new AppError("not_found", "There is no badge at this address. Make a new one on the test object's checks.");
    const { branch: asked } = request.query;
    const query = asked === undefined ? {} : { branch: asked };
    const { branch = null } = parseInput("listChecks", { params: {}, query, body: undefined }).query;
    const [check] = await selectChecks(this.db, { objectId, branch, commit: null }, null, 1);
    // pages of other sites embed it, and their readers must not see an old state from a cache
    response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    response.setHeader("Content-Security-Policy", "default-src 'none'; sandbox");
    response.setHeader("Cache-Control", "no-cache, max-age=0");
    response.setHeader("X-Robots-Tag", "noindex");
    response
      .type("image/svg+xml")
      .send(badgePicture(object.name, check?.state ?? "none", check === undefined ? "no check" : wordsOf(check)));
  }
}

const wordsOf = ({ state, waiting }: ReleaseCheck): string =>
  state === "waiting" ? `${waiting} to review` : state === "failed" ? "could not run" : state;

/**
 * Selects a check.
 * @throws AppError not_found
 */
async function requireCheck(db: Queryable, id: string): Promise<ReleaseCheck> {
  const check = await selectCheck(db, id);
  if (check === null) throw notFound("check", id);
  return check;
}
