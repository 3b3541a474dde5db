import { createHash, randomBytes } from "node:crypto";
import { Controller, Get, Inject, Param, Req, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import { deleteFeed, findFeed, putFeed, selectFeedEntries, selectFeeds } from "@web-tester/records/feeds/feeds";
import { toAtom } from "@web-tester/watch/digest/atom";
import type { Request, Response as HttpResponse } from "express";
import { Public } from "../http/public.js";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { requireObject } from "../http/require-object.js";
import { DB } from "../parts.js";
import { linksFrom } from "./section-of.js";
import { SENDING, type SendingParts } from "./sending-parts.js";

const entriesMax = 50;
const secretBytes = 32;

/** Serves feeds of what happens. Feed readers cannot send a token, so that a feed's address is its secret. */
@Controller()
export class FeedsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(SENDING) private readonly sending: SendingParts,
  ) {}

  @Handles("listFeeds")
  async list(): Promise<Response<"listFeeds">> {
    return { items: await selectFeeds(this.db) };
  }

  @Handles("createFeed")
  async create(@Parsed() { body }: Input<"createFeed">): Promise<Response<"createFeed">> {
    const { testobject_id: objectId } = body;
    if (objectId !== null) await requireObject(this.db, objectId);
    const secret = randomBytes(secretBytes).toString("base64url");
    const feed = await putFeed(this.db, objectId, secret);
    return { ...feed, url: `${this.sending.publicUrl}/feeds/${secret}` };
  }

  @Handles("deleteFeed")
  async remove(@Parsed() { params }: Input<"deleteFeed">): Promise<Response<"deleteFeed">> {
    if (!(await deleteFeed(this.db, params.id))) throw notFound("feed", params.id);
    return { deleted: 1 };
  }

  @Get("/feeds/:secret")
  @Public()
  async read(@Param("secret") secret: string, @Req() request: Request, @Res() response: HttpResponse): Promise<void> {
    const feed = await findFeed(this.db, secret);
    if (feed === null)
      throw new AppError("not_found", "There is no feed at this address. Make a new one under Notifications.");
    const { testobject_id: objectId } = feed;
    const entries = await selectFeedEntries(this.db, objectId, entriesMax);
    const links = linksFrom(this.sending.publicUrl);
    const [object] =
      objectId === null
        ? []
        : await this.db.query<{ name: string }>(`SELECT name FROM test_object WHERE id = $1`, [objectId]);
    const document = toAtom({
      id: feed.id,
      title: object === undefined ? "All test objects" : object.name,
      link: objectId === null ? `${this.sending.publicUrl}/` : links.object(objectId),
      created: new Date(feed.created_at),
      entries: entries.map(({ runId, section, createdAt }) => ({ id: runId, section, time: createdAt })),
    });
    // shared caches and search engines must not keep it, for its address is secret
    response.setHeader("Cache-Control", "private, no-cache");
    response.setHeader("X-Robots-Tag", "noindex");
    // feed readers come every few minutes, mostly without anything new for them
    response.setHeader("ETag", `"${createHash("sha256").update(document).digest("base64url")}"`);
    if (request.fresh) response.status(304).end();
    else response.type("application/atom+xml; charset=utf-8").send(document);
  }
}
