import { jobWords } from "@web-tester/contracts/job-lines";
import { Controller, Inject, Req } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { Run } from "@web-tester/contracts/entities/run";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import type { Request } from "express";
import { type Sign, Signed } from "../http/actor.js";
import { callerOf } from "../http/caller-of.js";
import { Handles, Parsed } from "../http/handles.js";
import { requireObject } from "../http/require-object.js";
import { selectRunDays } from "./run-days.sql.js";
import { notFound } from "../http/not-found.js";
import { BUS, DB, type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { selectSnapshot } from "../snapshots/select-snapshots.sql.js";
import { toTestSnapshot } from "../snapshots/to-test-snapshot.js";
import { cancelRun } from "./cancel-run.js";
import { labelRun } from "@web-tester/records/runs/label-run";
import { selectRun, selectRunsOf, selectRunWithPending } from "../snapshots/run-row.js";
import { startCrawl } from "./start-crawl.js";
import { carriersOf } from "./carriers.sql.js";
import { crawlReport } from "./crawl-report.js";
import { crawlShapes } from "./crawl-shapes.js";
import { excludeInRun, previewInRun } from "./exclude-in-run.js";
import { startSiteComparison } from "./start-comparison.js";
import { startSnapshotAll, startSnapshotsOf } from "./start-snapshot-all.js";
import { startNoise } from "./start-noise.js";
import type { StartParts } from "./start-run.js";
import { startSitemaps } from "./start-sitemaps.js";
import { createOne, fetchOne, startSnapshotOne } from "./start-snapshot-one.js";

/** Starts, stops and lists work in the background. */
@Controller()
export class RunsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOG) private readonly log: Logger,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  private get parts(): StartParts {
    return { db: this.db, bus: this.bus, log: this.log, hostConcurrency: this.options.hostConcurrency };
  }

  @Handles("listRuns")
  async list(@Parsed() { params, query }: Input<"listRuns">): Promise<Response<"listRuns">> {
    const runs = await selectRunsOf(this.db, params.id, query);
    if (runs === null) throw notFound("test object", params.id);
    return runs;
  }

  @Handles("getRun")
  async run(@Parsed() { params }: Input<"getRun">): Promise<Response<"getRun">> {
    const run = await selectRunWithPending(this.db, params.id);
    if (run === null) throw notFound("run", params.id);
    return run;
  }

  @Handles("updateRun")
  async update(@Parsed() { params, body }: Input<"updateRun">): Promise<Response<"updateRun">> {
    if (!(await labelRun(this.db, params.id, body.label))) throw notFound("run", params.id);
    return requireRun(this.db, params.id);
  }

  @Handles("listRunDays")
  async days(@Parsed() { params, query }: Input<"listRunDays">): Promise<Response<"listRunDays">> {
    await requireObject(this.db, params.id);
    const since = new Date(Date.now() - query.days * 86_400_000);
    return { items: await selectRunDays(this.db, params.id, since, query.time_zone) };
  }

  @Handles("listAllDays")
  async allDays(@Parsed() { query }: Input<"listAllDays">): Promise<Response<"listAllDays">> {
    const since = new Date(Date.now() - query.days * 86_400_000);
    return { items: await selectRunDays(this.db, null, since, query.time_zone) };
  }

  @Handles("crawl")
  crawl(@Parsed() { params }: Input<"crawl">, @Req() request: Request): Promise<Response<"crawl">> {
    return startCrawl(this.parts, params.id, callerOf(request));
  }

  @Handles("findNoise")
  async findNoise(
    @Parsed() { params, body }: Input<"findNoise">,
    @Req() request: Request,
  ): Promise<Response<"findNoise">> {
    return startNoise(this.db, this.bus, this.log, params.id, { ...body, by: callerOf(request) });
  }

  @Handles("startComparison")
  startComparison(
    @Parsed() { params, body }: Input<"startComparison">,
    @Req() request: Request,
  ): Promise<Response<"startComparison">> {
    return startSiteComparison(this.parts, params.id, body, callerOf(request));
  }

  @Handles("runSitemaps")
  runSitemaps(@Parsed() { params }: Input<"runSitemaps">, @Req() request: Request): Promise<Response<"runSitemaps">> {
    return startSitemaps(this.parts, params.id, callerOf(request));
  }

  @Handles("getRunReport")
  async report(@Parsed() { params, query }: Input<"getRunReport">): Promise<Response<"getRunReport">> {
    const report = await crawlReport(this.db, params.id, query);
    if (report === null) throw notFound("run", params.id);
    return report;
  }

  @Handles("listCrawlShapes")
  async shapes(@Parsed() { params }: Input<"listCrawlShapes">): Promise<Response<"listCrawlShapes">> {
    await requireRun(this.db, params.id);
    return crawlShapes(this.db, params.id);
  }

  @Handles("previewCrawlExcludes")
  previewExcludes(
    @Parsed() { params, body }: Input<"previewCrawlExcludes">,
  ): Promise<Response<"previewCrawlExcludes">> {
    return previewInRun(this.db, params.id, body.exclude_list);
  }

  @Handles("excludeInCrawl")
  async excludeInCrawl(@Parsed() { params, body }: Input<"excludeInCrawl">): Promise<Response<"excludeInCrawl">> {
    await excludeInRun(this.db, params.id, body.exclude_list);
    this.bus.logLine(params.id, "info", jobWords("crawl-left-out", { patterns: body.exclude_list.join(", ") }));
    const run = await selectRun(this.db, params.id);
    if (run === null) throw notFound("run", params.id);
    return run;
  }

  @Handles("listCarriers")
  async carriers(@Parsed() { params, query }: Input<"listCarriers">): Promise<Response<"listCarriers">> {
    const list = await carriersOf(this.db, params.id, query);
    if (list === null) throw notFound("run", params.id);
    return list;
  }

  @Handles("snapshotAll")
  snapshotAll(@Parsed() { params }: Input<"snapshotAll">, @Req() request: Request): Promise<Response<"snapshotAll">> {
    return startSnapshotAll(this.parts, params.id, callerOf(request));
  }

  @Handles("snapshotSelected")
  async snapshotSelected(
    @Parsed() { params, body }: Input<"snapshotSelected">,
    @Req() request: Request,
  ): Promise<Response<"snapshotSelected">> {
    return startSnapshotsOf(this.parts, params.id, body, callerOf(request));
  }

  @Handles("snapshotOne")
  snapshotOne(@Parsed() { params }: Input<"snapshotOne">, @Req() request: Request): Promise<Response<"snapshotOne">> {
    return startSnapshotOne(this.db, this.bus, this.log, params.id, callerOf(request));
  }

  @Handles("createTestSnapshot")
  async createTestSnapshot(
    @Parsed() { body }: Input<"createTestSnapshot">,
    @Signed() sign: Sign,
  ): Promise<Response<"createTestSnapshot">> {
    const id = await createOne(this.db, body.testinstance_id);
    const row = await selectSnapshot(this.db, id);
    if (row === null) throw notFound("snapshot", id);
    return toTestSnapshot(row, { html: "", render: null, removal: null }, sign);
  }

  @Handles("fetchTestSnapshot")
  fetchTestSnapshot(
    @Parsed() { params }: Input<"fetchTestSnapshot">,
    @Req() request: Request,
  ): Promise<Response<"fetchTestSnapshot">> {
    return fetchOne(this.db, this.bus, this.log, params.id, callerOf(request));
  }

  @Handles("cancelRun")
  cancel(@Parsed() { params }: Input<"cancelRun">): Promise<Response<"cancelRun">> {
    return cancelRun(this.db, this.bus, params.id);
  }
}

/**
 * Selects a run.
 * @throws AppError not_found
 */
async function requireRun(db: Database, id: string): Promise<Run> {
  const run = await selectRun(db, id);
  if (run === null) throw notFound("run", id);
  return run;
}
