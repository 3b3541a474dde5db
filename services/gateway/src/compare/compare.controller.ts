import { Controller, Inject, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { type FormChoice, formChoice } from "@web-tester/contracts/entities/vocabulary";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { titleOf } from "@web-tester/contracts/rule-title";
import { rulesInForce } from "@web-tester/records/rules/ignore-rules";
import { pathOf } from "@web-tester/signal/rules/rule-set";
import { type SiteMaps, siteMapsOf } from "@web-tester/urls/site-maps";
import type { Response as HttpResponse } from "express";
import { type Sign, Signed } from "../http/actor.js";
import { Handles, Parsed, sent } from "../http/handles.js";
import type { Sender } from "../http/sender.js";
import { writeInPieces } from "../http/json-pieces.js";
import { BUS, DB, SENDER, STORE } from "../parts.js";
import { readHtml } from "../snapshots/read-html.js";
import { requireObject } from "../http/require-object.js";
import { askDiffer } from "./ask-differ.js";
import { checkHtmlSize, leaveHtmlOut, pagesOf, toBulkEntry } from "./bulk-entry.js";
import { type FetchedSnapshot, findFetched } from "../snapshots/find-snapshot.js";
import { toPageSide, withJson } from "./hunks-answer.js";
import { selectBulkPage } from "./select-bulk.sql.js";
import { type RefQuery, snapshotRefs } from "./snapshot-ref.js";

@Controller()
export class CompareController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(SENDER) private readonly sender: Sender,
  ) {}

  @Handles("getDiff")
  async pair(@Parsed() { query }: Input<"getDiff">): Promise<Response<"getDiff">> {
    const [a, b] = await this.find(query);
    const [html1, html2] = await Promise.all([readHtml(this.store, a), readHtml(this.store, b)]);
    return writeInPieces({
      snapshot1: { id: a.id, html: html1 },
      snapshot2: { id: b.id, html: html2 },
      assets: hasAssets(a) && hasAssets(b),
      testobject_id: b.object_id,
    });
  }

  @Handles("getDiffHunks")
  async hunks(@Parsed() { query }: Input<"getDiffHunks">, @Res() response: HttpResponse): Promise<typeof sent> {
    const [a, b] = await this.find(query);
    const inForce = await rulesInForce(this.db, [...new Set([a.object_id, b.object_id])]);
    const all = [...(inForce.get(b.object_id) ?? []), ...(inForce.get(a.object_id) ?? [])];
    const rules = [...new Map(all.map((rule) => [rule.id, rule])).values()];
    const of = { path: pathOf(b.instance_url), rules, maps: await this.mapsOf(a, b) };
    const found = await askDiffer(
      this.bus,
      this.store,
      a,
      b,
      query.diffType,
      query.context,
      await this.formFor(query.as, b),
      of,
    );
    const { aLines, bLines, as = "source", ...figures } = "figures" in found ? found.figures : found;
    const answer: Omit<Response<"getDiffHunks">, "hunks"> = {
      ...figures,
      ...(rules.length === 0
        ? {}
        : { rules: rules.map((rule) => ({ id: rule.id, title: rule.note || titleOf(rule) })) }),
      assets: hasAssets(a) && hasAssets(b) && b.asset_snapshots,
      by: query.diffType,
      as,
      a: toPageSide(a, aLines),
      b: toPageSide(b, bLines),
      instance: { id: b.test_instance_id, name: b.instance_name, url: b.instance_url },
      testobject: { id: b.object_id, name: b.object_name },
    };
    response.type("json");
    await this.sender.whole(
      response,
      "figures" in found ? withJson(answer, "hunks", found.hunks) : Buffer.from(JSON.stringify(answer)),
    );
    return sent;
  }

  @Handles("getBulkDiff")
  async bulk(
    @Parsed() { params, query }: Input<"getBulkDiff">,
    @Signed() sign: Sign,
  ): Promise<Response<"getBulkDiff">> {
    const { idx1, idx2, limit, offset } = query;
    await requireObject(this.db, params.id);
    const { rows, total, differing, identical, linesAdded, linesRemoved } = await selectBulkPage(
      this.db,
      params.id,
      query,
    );
    const withHtml = query.html === "true";
    const needsHtml = withHtml || query.pages === "html";
    if (needsHtml) checkHtmlSize(rows);
    const diffs: BulkDiffEntry[] = [];
    // one pair after the other, so that the large documents of several pairs are not in memory at the same time
    for (const row of rows) diffs.push(await toBulkEntry(row, query, needsHtml ? this.store : null, sign));
    const pages = query.pages === "none" ? {} : pagesOf(diffs, query.pages === "html");
    if (!withHtml) for (const entry of diffs) leaveHtmlOut(entry);
    const answer = {
      testobjectId: params.id,
      idx1,
      idx2,
      totalInstances: total,
      diffCount: differing,
      skippedCount: total - differing,
      identicalCount: identical,
      linesAdded,
      linesRemoved,
      hasMore: offset + rows.length < total,
      limit,
      offset,
      diffs,
      ...pages,
    };
    return needsHtml ? writeInPieces(answer) : answer;
  }

  /**
   * How addresses of the older page are read as if they were the newer page's, where the two belong to two sites; undefined for pages of
   * one site.
   */
  private async mapsOf(a: FetchedSnapshot, b: FetchedSnapshot): Promise<SiteMaps | undefined> {
    if (a.object_id === b.object_id) return undefined;
    const rows = await this.db.query<{ id: string; url: string }>(
      `SELECT id, url FROM test_object WHERE id = ANY($1)`,
      [[a.object_id, b.object_id]],
    );
    const [from, to] = [a, b].map(({ object_id: id }) => rows.find((row) => row.id === id)?.url);
    if (from === undefined || to === undefined) return undefined;
    return siteMapsOf(from, to);
  }

  /** The asked form or, for `auto`, the form that the object is set to. */
  private async formFor(asked: FormChoice, { object_id: objectId }: FetchedSnapshot): Promise<FormChoice> {
    if (asked !== "auto") return asked;
    const [row] = await this.db.query<{ diff_form: string }>(`SELECT diff_form FROM test_object WHERE id = $1`, [
      objectId,
    ]);
    return formChoice.parse(row?.diff_form ?? asked);
  }

  private find(query: RefQuery): Promise<[FetchedSnapshot, FetchedSnapshot]> {
    const [one, other] = snapshotRefs(query);
    return Promise.all([findFetched(this.db, one), findFetched(this.db, other)]);
  }
}

function hasAssets({ assets_total, assets_missing }: FetchedSnapshot): boolean {
  return assets_total > assets_missing;
}
