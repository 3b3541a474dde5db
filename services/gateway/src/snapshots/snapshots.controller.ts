import { Controller, Inject, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { touchContent } from "@web-tester/records/contents/touch-contents";
import type { Replayer } from "@web-tester/replay/replayer";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { sliceLines } from "@web-tester/diff/lines/line-range";
import type { Response as HttpResponse } from "express";
import { type Sign, Signed } from "../http/actor.js";
import { askQuestion } from "../http/ask-question.js";
import { Handles, Parsed } from "../http/handles.js";
import { isolate } from "../http/isolate.js";
import { writeInPieces } from "../http/json-pieces.js";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import type { Sender } from "../http/sender.js";
import { BUS, DB, REPLAYER, SENDER, STORE } from "../parts.js";
import { renderAddress } from "../assets/asset-address.js";
import { readHtml } from "./read-html.js";
import { selectRemovalOf } from "@web-tester/records/removals/plan-removal";
import { selectAssets } from "@web-tester/records/assets/snapshot-assets";
import { selectSnapshot, type WholeSnapshotRow } from "./select-snapshots.sql.js";
import { traceText } from "./trace-text.js";
import { toTestSnapshot } from "./to-test-snapshot.js";
import { renderSnapshot } from "./render-snapshot.js";
import { textOfFile } from "./text-files.js";
import { toAsset } from "./to-asset.js";

/** An answer with more characters is written in pieces. */
const longChars = 256 * 1024;
/** The most lines in one answer. */
const linesMax = 10_000;

/**
 * One transparent pixel, shown where a page cannot be drawn, for example on a machine without a browser: a list of a thousand pages
 * must not show the same error a thousand times.
 */
const noPicture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==",
  "base64",
);

@Controller()
export class SnapshotsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(SENDER) private readonly sender: Sender,
    @Inject(REPLAYER) private readonly replayer: Replayer,
  ) {}

  @Handles("getTestSnapshot")
  async get(
    @Parsed() { params, query }: Input<"getTestSnapshot">,
    @Signed() sign: Sign,
  ): Promise<Response<"getTestSnapshot">> {
    const row = await this.load(params.id);
    if (query._action === "assets") return (await selectAssets(this.db, row.id)).map((asset) => toAsset(asset, sign));
    const [html, removal] = await Promise.all([
      readHtml(this.store, row),
      selectRemovalOf(this.db, row.test_instance_id),
    ]);
    const render = row.hash === null ? null : renderAddress(row.id, sign);
    const snapshot = toTestSnapshot(row, { html, render, removal }, sign);
    return html.length < longChars ? snapshot : writeInPieces(snapshot);
  }

  @Handles("renderTestSnapshot")
  async render(
    @Parsed() { params, query }: Input<"renderTestSnapshot">,
    @Res() response: HttpResponse,
    @Signed() sign: Sign,
  ): Promise<void> {
    const row = await this.load(params.id);
    const { db, store } = this;
    const against = query.against === undefined ? null : await this.load(query.against);
    const html = await renderSnapshot(
      row,
      { preview: query.preview, against, marks: query.marks },
      { db, store, bus: this.bus, replayer: this.replayer, sign },
    );
    isolate(response);
    response.setHeader("Cache-Control", "private, no-cache");
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    await this.sender.whole(response, html);
  }

  @Handles("getThumbnail")
  async thumbnail(@Parsed() { params }: Input<"getThumbnail">, @Res() response: HttpResponse): Promise<void> {
    const row = await this.load(params.id);
    if (row.hash === null) throw notFound("thumbnail of snapshot", params.id);
    const drawn = await askQuestion(this.bus, questions.thumbnail, { snapshotId: row.id });
    const bytes = "problem" in drawn ? noPicture : await this.store.read(Buffer.from(drawn.sha256, "hex"));
    isolate(response);
    response.setHeader("Content-Type", "image/png");
    response.setHeader("Cache-Control", "problem" in drawn ? "no-store" : "private, max-age=3600");
    await this.sender.whole(response, bytes);
  }

  /** Stores an edited text as content that no row refers to, which is collected after the grace time. */
  @Handles("previewTestSnapshot")
  async preview(
    @Parsed() { params, body }: Input<"previewTestSnapshot">,
    @Signed() sign: Sign,
  ): Promise<Response<"previewTestSnapshot">> {
    const row = await this.load(params.id);
    const bytes = Buffer.from(body.html);
    const hash = hashContent(bytes);
    const hex = hash.toString("hex");
    const missing = await touchContent(this.db, new Map([[hex, bytes.length]]));
    if (missing.has(hex)) await this.store.write(hash, bytes);
    return { render: renderAddress(row.id, sign, hex) };
  }

  @Handles("getSnapshotLines")
  async lines(
    @Parsed() { params, query: { from, to, file, as } }: Input<"getSnapshotLines">,
  ): Promise<Response<"getSnapshotLines">> {
    if (to < from) throw invalidInput([{ path: "query.to", message: `must not be smaller than from (${from})` }]);
    if (to - from >= linesMax)
      throw invalidInput([{ path: "query.to", message: `ask for at most ${linesMax} lines at once` }]);
    const row = await this.load(params.id);
    if (as !== "source" && file === undefined && row.hash !== null) {
      const of = { sha256: row.hash, charset: row.charset ?? "utf-8" };
      return { from, ...(await askQuestion(this.bus, questions.lines, { of, as, from, to })) };
    }
    const content = file === undefined ? row : textOfFile(await selectAssets(this.db, row.id), file);
    return { from, lines: sliceLines(await readHtml(this.store, content), from, to) };
  }

  @Handles("traceInSnapshots")
  async trace(
    @Parsed() { params, query: { as, line, text } }: Input<"traceInSnapshots">,
  ): Promise<Response<"traceInSnapshots">> {
    if ((line === undefined) === (text === undefined))
      throw invalidInput([{ path: "query.line", message: "give either a line or a text" }]);
    const row = await this.load(params.id);
    const sought = line === undefined ? { text: text ?? "" } : { line };
    const found = await traceText({ db: this.db, bus: this.bus }, row, as, sought);
    if (found === null) throw notFound("content of snapshot", params.id);
    return found;
  }

  private async load(id: string): Promise<WholeSnapshotRow> {
    const row = await selectSnapshot(this.db, id);
    if (row === null) throw notFound("snapshot", id);
    return row;
  }
}
