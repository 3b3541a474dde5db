import { Controller, Inject, Req, Res } from "@nestjs/common";
import type { Input } from "@web-tester/contracts/api";
import { assetTypes, isAssetExtension } from "@web-tester/contracts/asset-types";
import type { Database } from "@web-tester/platform/database/database";
import type { Replayer } from "@web-tester/replay/replayer";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Request, Response } from "express";
import { type Actor, By, type Sign } from "../http/actor.js";
import { Handles, Parsed } from "../http/handles.js";
import { isolate } from "../http/isolate.js";
import { notFound } from "../http/not-found.js";
import type { Sender } from "../http/sender.js";
import { DB, REPLAYER, SENDER, STORE } from "../parts.js";
import { assetAddress } from "./asset-address.js";
import { type AssetRow, isServedAsset, selectAsset, selectListed } from "@web-tester/records/assets/snapshot-assets";
import { sendBytes } from "./send-bytes.js";

@Controller()
export class AssetsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(SENDER) private readonly sender: Sender,
    @Inject(REPLAYER) private readonly replayer: Replayer,
  ) {}

  @Handles("getAsset")
  async get(
    @Parsed() { params, query }: Input<"getAsset">,
    @Req() request: Request,
    @Res() response: Response,
    @By() actor: Actor,
  ): Promise<void> {
    const [hash = "", extension = ""] = params.local_path.split(".");
    if (!isAssetExtension(extension)) throw notFound("asset", params.local_path);
    const row = query.of === undefined ? null : await this.load(query.of, hash, extension);
    if (row === null && !(await isServedAsset(this.db, hash, extension))) throw notFound("asset", params.local_path);
    const read = () => this.store.read(Buffer.from(hash, "hex"));
    const bytes = row === null || extension !== "css" ? await read() : await this.rewrite(row, actor.sign, read);
    isolate(response);
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    const { type, inline } = assetTypes[extension];
    response.setHeader("Content-Type", type);
    if (!inline) response.setHeader("Content-Disposition", `attachment; filename="${hash.slice(0, 12)}.${extension}"`);
    response.setHeader(
      "Cache-Control",
      `${actor.kind === "anybody" ? "public" : "private"}, max-age=31536000, immutable`,
    );
    const etag = row === null || extension !== "css" ? hash : row.id;
    return sendBytes(this.sender, request, response, bytes, `"${etag}"`);
  }

  private async load(id: string, hash: string, extension: string): Promise<AssetRow> {
    const row = await selectAsset(this.db, id);
    if (row === null || row.hash !== hash || row.extension !== extension) throw notFound("asset", id);
    return row;
  }

  /** Rewrites a stylesheet so that it refers to the stored copies of the files it needs. */
  private async rewrite(row: AssetRow, sign: Sign, read: () => Promise<Buffer>): Promise<Buffer> {
    return this.replayer.stylesheet(
      row,
      {
        assets: await selectListed(this.db, row.list_id),
        address: (asset) => assetAddress(asset, sign),
      },
      read,
    );
  }
}
