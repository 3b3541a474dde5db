import { Controller, Inject, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { SearchFrame } from "@web-tester/contracts/entities/search";
import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Response as HttpResponse } from "express";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { toErrorBody } from "../http/to-error-body.js";
import { DB, STORE } from "../parts.js";
import { selectSnapshot } from "../snapshots/select-snapshots.sql.js";
import { readHistoryCursor, readResultCursor, writeCursor } from "./cursor.js";
import { phraseOf, PhraseSearch, type ResultsAnswer } from "./phrase-search.js";

/** The most results that a stream sends before everything is searched. */
const earlyMax = 20;
const progressEveryMs = 100;

@Controller()
export class SearchController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(PhraseSearch) private readonly phrases: PhraseSearch,
  ) {}

  @Handles("search")
  async list(
    @Parsed() { query }: Input<"search">,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"search">> {
    const page = { after: readResultCursor(query.cursor), limit: query.limit };
    const where = await this.phrases.whereOf(query);
    const answer = await this.phrases.results(query, where, page, whileWaitedFor(response));
    const cursor = cursorOf(answer);
    if (cursor !== null) response.setHeader("X-Search-Cursor", cursor);
    if (answer.partial !== null) response.setHeader("X-Search-Partial", answer.partial);
    return answer.items;
  }

  @Handles("searchStream")
  async stream(
    @Parsed() { query }: Input<"searchStream">,
    @Res() response: HttpResponse,
  ): Promise<Response<"searchStream">> {
    const page = { after: readResultCursor(query.cursor), limit: query.limit };
    const where = await this.phrases.whereOf(query);
    const signal = whileWaitedFor(response);
    response.status(200).type("application/x-ndjson").setHeader("Cache-Control", "no-store");
    const started = performance.now();
    let early: Promise<void> | null = null;
    let over = false;
    let toldAt = 0;
    const send = (frame: SearchFrame): SearchFrame => {
      if (!signal.aborted) response.write(`${JSON.stringify(frame)}\n`);
      return frame;
    };
    let last: SearchFrame;
    try {
      const answer = await this.phrases.results(query, where, page, signal, ({ searched, total, found }) => {
        if (searched < total && performance.now() - toldAt >= progressEveryMs) {
          toldAt = performance.now();
          send({ type: "progress", searched, total });
        }
        if (early !== null || found.size === 0 || searched === total || page.after !== null) return;
        early = this.phrases.early(where, found, Math.min(earlyMax, page.limit)).then(
          ({ items }) => {
            if (!over && items.length > 0) send({ type: "early", items });
          },
          // early results are optional: should something be wrong, the page itself fails with a message
          () => undefined,
        );
      });
      over = true;
      last = send({
        type: "page",
        items: answer.items,
        cursor: cursorOf(answer),
        partial: answer.partial,
        elapsedMs: Math.round(performance.now() - started),
      });
    } catch (error) {
      over = true;
      last = send({ type: "error", error: toErrorBody(error, "GET /api/search/stream").body });
    }
    response.end();
    return last;
  }

  @Handles("searchSummary")
  async summary(
    @Parsed() { query }: Input<"searchSummary">,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"searchSummary">> {
    return this.phrases.summary(query, whileWaitedFor(response));
  }

  @Handles("searchHistory")
  async history(
    @Parsed() { query }: Input<"searchHistory">,
    @Res({ passthrough: true }) response: HttpResponse,
  ): Promise<Response<"searchHistory">> {
    const page = { after: readHistoryCursor(query.cursor), limit: query.limit };
    const { items, next, partial } = await this.phrases.history(query, page, whileWaitedFor(response));
    return { items, cursor: next === null ? null : writeCursor([next]), partial };
  }

  @Handles("getSnapshotMatches")
  async matches(
    @Parsed() { params, query: { q, scope, limit, offset } }: Input<"getSnapshotMatches">,
  ): Promise<Response<"getSnapshotMatches">> {
    const row = await selectSnapshot(this.db, params.id);
    if (row === null) throw notFound("snapshot", params.id);
    const phrase = phraseOf({ q, scope });
    if (phrase === "" || row.hash === null) return { matches: 0, lines: 0, items: [] };
    const bytes = await this.store.read(Buffer.from(row.hash, "hex"));
    return this.phrases.lines({ bytes, charset: row.charset, scope, phrase, limit, offset });
  }
}

function cursorOf({ next }: ResultsAnswer): string | null {
  return next === null || next.snapshotId === null ? null : writeCursor([next.url, next.snapshotId]);
}

/** A signal that aborts when the connection closes before the answer is complete. */
function whileWaitedFor(response: HttpResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
