import { jobWords } from "@web-tester/contracts/job-lines";
import { type BeforeApplicationShutdown, Controller, Inject, Req, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { ImportJob } from "@web-tester/contracts/entities/transfer";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { databaseTime } from "@web-tester/platform/database/database-time";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Request as HttpRequest, Response as HttpResponse } from "express";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import type { Sender } from "../http/sender.js";
import { BUS, DB, SECRETS, SENDER, STORE } from "../parts.js";
import { exportArchive } from "./export-archive.js";
import { brokenEnd, exportJson } from "./export-json.js";
import { exportWacz } from "./export-wacz.js";
import { type ExportedObject, selectDeletedSince, selectExportedObjects } from "./export-rows.sql.js";
import { endJob, selectJob, selectJobs } from "@web-tester/records/imports/import-job";
import { LeftOut } from "./left-out.js";
import { receiveImport } from "./receive-import.js";

/** Exports and imports the product's data. */
@Controller()
export class TransferController implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(SECRETS) private readonly secrets: SecretBox,
    @Inject(SENDER) private readonly sender: Sender,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  @Handles("exportData")
  async exportData(@Parsed() { query }: Input<"exportData">, @Res() response: HttpResponse): Promise<void> {
    const objectId = query.testObjectId ?? null;
    const since = await databaseTime(this.db);
    const objects = await selectExportedObjects(this.db, objectId);
    if (objectId !== null && objects.length === 0) throw notFound("test object", objectId);
    const now = new Date();
    const deps = { db: this.db, store: this.store };
    const leftOut = new LeftOut();
    const jobId = objectId ?? "export";
    const send = async (pieces: Pieces, endIfBroken?: (reason: string) => string) => {
      const broken = (name: string) => this.bus.logLine(jobId, "warn", jobWords("export-broken-off", { name }));
      await this.sender.inTurn(response, unlessDeleted({ db: this.db, objects, since, broken, endIfBroken }, pieces));
      if (leftOut.total !== null) this.bus.logLine(jobId, "warn", jobWords("export-left-out", { n: leftOut.total }));
    };
    response.setHeader("Cache-Control", "no-store");
    if (query.format === "wacz") {
      const [object] = objects;
      if (objectId === null || object === undefined)
        throw new AppError(
          "invalid_input",
          "testObjectId: a web archive contains one test object; set testObjectId to its id.",
        );
      const pieces = await exportWacz(deps, object, query.idx, now, leftOut);
      attach(response, "application/wacz+zip", `${exportName(now)}.wacz`);
      await send(pieces);
    } else if (query.format === "archive") {
      attach(response, "application/gzip", `${exportName(now)}.tar.gz`);
      await send(exportArchive(deps, objects, now, leftOut));
    } else {
      attach(response, "application/json; charset=utf-8", `${exportName(now)}.json`);
      await send(exportJson(deps, objects, now, leftOut), brokenEnd);
    }
  }

  @Handles("importData")
  async importData(
    @Parsed() { query }: Input<"importData">,
    @Req() request: HttpRequest,
  ): Promise<Response<"importData">> {
    const { db, store, bus, secrets } = this;
    const target = query.testObjectId === undefined ? null : await selectTarget(db, query.testObjectId);
    return receiveImport({ db, store, bus, secrets, signal: this.stopping.signal }, request, {
      background: query.async === "true",
      name: query.name ?? null,
      target,
    });
  }

  @Handles("listImports")
  async listImports(): Promise<Response<"listImports">> {
    return { items: await selectJobs(this.db) };
  }

  @Handles("getImport")
  getImport(@Parsed() { params }: Input<"getImport">): Promise<Response<"getImport">> {
    return this.load(params.id);
  }

  @Handles("cancelImport")
  async cancelImport(@Parsed() { params }: Input<"cancelImport">): Promise<Response<"cancelImport">> {
    const job = await this.load(params.id);
    if (!(await endJob(this.db, job.id, "cancelled", null)))
      throw new AppError("conflict", "The import has already ended, so there is nothing to stop.");
    this.bus.logLine(job.id, "warn", jobWords("import-cancelled", {}));
    return this.load(job.id);
  }

  private async load(id: string): Promise<ImportJob> {
    const job = await selectJob(this.db, id);
    if (job === null) throw notFound("import", id);
    return job;
  }
}

/**
 * Selects the object that a web archive is imported to.
 * @throws AppError not_found
 */
async function selectTarget(db: Database, objectId: string): Promise<{ url: string; name: string }> {
  const [row] = await db.query<{ url: string; name: string }>(
    "SELECT url, name FROM test_object WHERE id = $1 AND NOT deleting",
    [objectId],
  );
  if (row === undefined) throw notFound("test object", objectId);
  return row;
}

type Pieces = AsyncIterable<string | Uint8Array>;

interface Exporting {
  db: Database;
  objects: readonly ExportedObject[];
  since: Date;
  /** Is called with the name of an object of which something was deleted meanwhile. */
  broken: (name: string) => void;
  /** Makes what comes in place of the last piece then, from the reason. */
  endIfBroken: ((reason: string) => string) | undefined;
}

/**
 * Yields a file that lacks nothing: if some of it was deleted while it was read, whoever takes it must not think that all of it is there,
 * so its download breaks off before the last piece, without which no format is whole.
 * @throws AppError conflict
 */
async function* unlessDeleted(
  { db, objects, since, broken, endIfBroken }: Exporting,
  pieces: Pieces,
): AsyncGenerator<string | Uint8Array> {
  let last: string | Uint8Array | null = null;
  for await (const piece of pieces) {
    if (last !== null) yield last;
    last = piece;
  }
  const deleted = await selectDeletedSince(db, objects, since);
  if (deleted !== null) {
    const reason = `“${deleted}”, or some of it, was deleted while it was exported, so that the file is not complete. Export it again.`;
    broken(deleted);
    if (endIfBroken !== undefined) yield endIfBroken(reason);
    throw new AppError("conflict", reason);
  }
  if (last !== null) yield last;
}

/** The file name that the specification demands (§9), without its extension. */
function exportName(now: Date): string {
  return `web-tester-export-${now.toISOString()}`;
}

function attach(response: HttpResponse, type: string, name: string): void {
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Disposition", `attachment; filename="${name}"`);
}
