import { Controller, Inject, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { ChangedFileView } from "@web-tester/contracts/entities/compare";
import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { changedFiles, type KeptFiles } from "@web-tester/records/assets/changed-files";
import { type AssetRow, selectAssets } from "@web-tester/records/assets/snapshot-assets";
import { changedFacts, type SnapshotFacts } from "@web-tester/records/changes/changed-facts";
import type { Response as HttpResponse } from "express";
import { assetAddress } from "../assets/asset-address.js";
import { type Sign, Signed } from "../http/actor.js";
import { askQuestion } from "../http/ask-question.js";
import { Handles, Parsed, sent } from "../http/handles.js";
import { requireObject } from "../http/require-object.js";
import type { Sender } from "../http/sender.js";
import { BUS, DB, SENDER, STORE } from "../parts.js";
import { askDiffer } from "./ask-differ.js";
import { questions } from "@web-tester/contracts/messages";
import { type FetchedSnapshot, findFetched } from "../snapshots/find-snapshot.js";
import { toSide, withJson } from "./hunks-answer.js";
import { selectChangedFiles, selectPagesOfFile } from "./select-changed-files.sql.js";
import { contentOf, isText } from "../snapshots/text-files.js";
import { type RefQuery, snapshotRefs } from "./snapshot-ref.js";

const filesMax = 1_000;
/** Answers how pages differ beside their HTML: files, status, redirect target, headers, what the head says. */
@Controller()
export class FilesController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(SENDER) private readonly sender: Sender,
  ) {}

  @Handles("getDiffBeside")
  async beside(@Parsed() { query }: Input<"getDiffBeside">, @Signed() sign: Sign): Promise<Response<"getDiffBeside">> {
    const [a, b] = await this.find(query);
    const [before, after, heads] = await Promise.all([
      selectAssets(this.db, a.id),
      selectAssets(this.db, b.id),
      a.hash === b.hash ? null : askQuestion(this.bus, questions.heads, { a: sideOf(a), b: sideOf(b) }),
    ]);
    const isCompared = before.length > 0 && after.length > 0;
    const files = isCompared ? changedFiles(keptOf(a, before), keptOf(b, after)).slice(0, filesMax) : [];
    return {
      facts: changedFacts(factsOf(a), factsOf(b), heads?.heads ?? null),
      files: files.map((file) => toView(file, before, after, sign)),
      files_compared: isCompared,
    };
  }

  @Handles("getFileDiff")
  async hunks(@Parsed() { query }: Input<"getFileDiff">, @Res() response: HttpResponse): Promise<typeof sent> {
    const [a, b] = await this.find(query);
    const [before, after] = await Promise.all([selectAssets(this.db, a.id), selectAssets(this.db, b.id)]);
    const file = changedFiles(keptOf(a, before), keptOf(b, after)).find(({ url }) => url === query.url);
    if (file === undefined)
      throw new AppError(
        "not_found",
        `No file ${query.url} differs between these two snapshots. GET /api/diff/files lists those that do.`,
      );
    const [old, now] = versionsOf(file, before, after);
    if (old === null || now === null || !isText(old) || !isText(now))
      throw new AppError(
        "invalid_input",
        `${query.url} cannot be compared as text: ${file.change === "changed" ? "it is not a text" : "only one of the snapshots has it"}. Open its stored copies instead.`,
      );
    const [one, other] = [contentOf(old), contentOf(now)];
    const found = await askDiffer(this.bus, this.store, one, other, query.diffType, query.context);
    const { aLines, bLines, as = "source", ...figures } = "figures" in found ? found.figures : found;
    const answer: Omit<Response<"getFileDiff">, "hunks"> = {
      ...figures,
      assets: false,
      by: query.diffType,
      as,
      a: toSide({ ...a, html_bytes: old.bytes }, aLines),
      b: toSide({ ...b, html_bytes: now.bytes }, bLines),
      instance: { id: b.test_instance_id, name: b.instance_name, url: b.instance_url },
      testobject: { id: b.object_id, name: b.object_name },
      file,
    };
    response.type("json");
    await this.sender.whole(
      response,
      "figures" in found
        ? withJson(answer, "hunks", found.hunks)
        : Buffer.from(JSON.stringify({ ...answer, hunks: found.hunks })),
    );
    return sent;
  }

  @Handles("listChangedFiles")
  async changed(@Parsed() { params, query }: Input<"listChangedFiles">): Promise<Response<"listChangedFiles">> {
    await requireObject(this.db, params.id);
    const since = new Date(query.since);
    return { since: since.toISOString(), ...(await selectChangedFiles(this.db, params.id, since, query)) };
  }

  @Handles("listPagesOfFile")
  async pages(@Parsed() { params, query }: Input<"listPagesOfFile">): Promise<Response<"listPagesOfFile">> {
    await requireObject(this.db, params.id);
    const { hash, limit, cursor = null } = query;
    const rows = await selectPagesOfFile(this.db, params.id, hash, cursor, limit + 1);
    const items = rows.slice(0, limit);
    return { items, nextCursor: rows.length > limit ? (items.at(-1)?.url ?? null) : null };
  }

  private find(query: RefQuery): Promise<[FetchedSnapshot, FetchedSnapshot]> {
    const [one, other] = snapshotRefs(query);
    return Promise.all([findFetched(this.db, one), findFetched(this.db, other)]);
  }
}

function toView(
  file: ChangedFile,
  before: readonly AssetRow[],
  after: readonly AssetRow[],
  sign: Sign,
): ChangedFileView {
  const [old, now] = versionsOf(file, before, after);
  return {
    ...file,
    before_bytes: old?.bytes ?? null,
    after_bytes: now?.bytes ?? null,
    before_address: old === null ? null : assetAddress(old, sign),
    after_address: now === null ? null : assetAddress(now, sign),
    is_text: old !== null && now !== null && isText(old) && isText(now),
  };
}

function keptOf({ taken_with: takenWith }: FetchedSnapshot, files: readonly AssetRow[]): KeptFiles {
  return { files, scripts: takenWith?.scripts ?? null };
}

/** The rows of a changed file before and after; null on the side that does not have it. */
function versionsOf(
  { change, url, before_url: beforeUrl }: ChangedFile,
  before: readonly AssetRow[],
  after: readonly AssetRow[],
): [old: AssetRow | null, now: AssetRow | null] {
  const at = (rows: readonly AssetRow[], address: string) =>
    rows.find((row) => row.url === address && row.hash !== null) ?? null;
  return [change === "added" ? null : at(before, beforeUrl ?? url), change === "removed" ? null : at(after, url)];
}

function sideOf({ hash, charset }: FetchedSnapshot): { sha256: string; charset: string } {
  return { sha256: hash, charset: charset ?? "utf-8" };
}

function factsOf({ http_status: status, redirects, final_url: finalUrl, headers }: FetchedSnapshot): SnapshotFacts {
  return {
    status,
    redirectedTo: (redirects ?? []).length > 0 ? finalUrl : null,
    contentType: headers?.["content-type"] ?? null,
    csp: headers?.["content-security-policy"] ?? null,
    xRobotsTag: headers?.["x-robots-tag"] ?? null,
  };
}
