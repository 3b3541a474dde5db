import { Controller, Inject, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { VisualDiff } from "@web-tester/contracts/entities/compare";
import { questions } from "@web-tester/contracts/messages";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Response as HttpResponse } from "express";
import { type Sign, Signed } from "../http/actor.js";
import { Handles, Parsed } from "../http/handles.js";
import { isolate } from "../http/isolate.js";
import { notFound } from "../http/not-found.js";
import type { Sender } from "../http/sender.js";
import { BUS, DB, SENDER, STORE } from "../parts.js";
import { askMarks } from "../snapshots/ask-marks.js";
import { askQuestion } from "../http/ask-question.js";
import { markedAddress, pictureAddress, renderAddress } from "../assets/asset-address.js";
import { readNamed } from "../snapshots/read-named.js";
import { type FetchedSnapshot, findFetched } from "../snapshots/find-snapshot.js";
import { shownViewport } from "../snapshots/shown-viewport.js";
import { type RefQuery, snapshotRefs } from "./snapshot-ref.js";

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Answers two snapshots as rendered pages to compare by eye. */
@Controller()
export class VisualController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(SENDER) private readonly sender: Sender,
  ) {}

  @Handles("getVisualDiff")
  async pages(@Parsed() { query }: Input<"getVisualDiff">, @Signed() sign: Sign): Promise<Response<"getVisualDiff">> {
    const [a, b] = await this.find(query);
    return {
      a: toSide(a, b.id, "removed", sign),
      b: toSide(b, a.id, "added", sign),
      assets: hasAssets(a) && hasAssets(b),
      instance: { id: b.test_instance_id, name: b.instance_name, url: b.instance_url },
      testobject: { id: b.object_id, name: b.object_name, asset_snapshots: b.asset_snapshots },
    };
  }

  @Handles("getVisualText")
  async text(@Parsed() { query }: Input<"getVisualText">): Promise<Response<"getVisualText">> {
    const [a, b] = await this.find(query);
    const { added, removed, coarse, truncated } = await askMarks(this.bus, a, b);
    return { added, removed, coarse, truncated };
  }

  @Handles("getVisualPictures")
  async pictures(
    @Parsed() { query }: Input<"getVisualPictures">,
    @Signed() sign: Sign,
  ): Promise<Response<"getVisualPictures">> {
    const [a, b] = await this.find(query);
    const { threshold } = query;
    const reply = await askQuestion(this.bus, questions.pictures, { a: a.id, b: b.id, threshold });
    if (reply.state !== "compared") return reply;
    const address = (sha256: string) => pictureAddress(sha256, sign);
    const toPicture = ({ sha256, ...size }: typeof reply.a) => ({ ...size, address: address(sha256) });
    return {
      ...reply,
      a: toPicture(reply.a),
      b: toPicture(reply.b),
      mask: reply.mask === null ? null : address(reply.mask),
    };
  }

  @Handles("getPicture")
  async picture(@Parsed() { params }: Input<"getPicture">, @Res() response: HttpResponse): Promise<void> {
    const bytes = await readNamed(this.store, params.name.slice(0, 64), "picture");
    if (!bytes.subarray(0, pngSignature.length).equals(pngSignature)) throw notFound("picture", params.name);
    isolate(response);
    response.setHeader("Content-Type", "image/png");
    response.setHeader("Cache-Control", "private, max-age=3600, immutable");
    await this.sender.whole(response, bytes);
  }

  private find(query: RefQuery): Promise<[FetchedSnapshot, FetchedSnapshot]> {
    const [one, other] = snapshotRefs(query);
    return Promise.all([findFetched(this.db, one), findFetched(this.db, other)]);
  }
}

function hasAssets({ assets_total, assets_missing }: FetchedSnapshot): boolean {
  return assets_total > assets_missing;
}

function toSide(row: FetchedSnapshot, against: string, marks: "added" | "removed", sign: Sign): VisualDiff["a"] {
  return {
    id: row.id,
    number: row.number,
    created_at: row.created_at.toISOString(),
    render: renderAddress(row.id, sign),
    marked: markedAddress(row.id, against, marks, sign),
    viewport: shownViewport(row.taken_with, row.object_viewport),
  };
}
