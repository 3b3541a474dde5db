import { Controller, Inject, Res } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { AuditEntry } from "@web-tester/contracts/entities/access";
import type { Database } from "@web-tester/platform/database/database";
import { type AuditFilter, selectAudit } from "@web-tester/records/audit/audit";
import type { Response as HttpResponse } from "express";
import { Handles, Parsed } from "../http/handles.js";
import type { Sender } from "../http/sender.js";
import { DB, type GatewayOptions, OPTIONS, SENDER } from "../parts.js";
import { csvHead, toCsv } from "./audit-csv.js";

const rowsPerPiece = 1_000;

/** Answers who changed what, as JSON and as an export. */
@Controller()
export class AuditController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(SENDER) private readonly sender: Sender,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  @Handles("listAudit")
  async list(@Parsed() { query }: Input<"listAudit">): Promise<Response<"listAudit">> {
    const { limit, cursor = null, ...filter } = query;
    const rows = await selectAudit(this.db, filter, cursor, limit + 1);
    const items = rows.slice(0, limit);
    const nextCursor = rows.length > limit ? (items.at(-1)?.id ?? null) : null;
    return { items, nextCursor, days: this.options.auditDays };
  }

  @Handles("exportAudit")
  async export(@Parsed() { query }: Input<"exportAudit">, @Res() response: HttpResponse): Promise<void> {
    const { format, ...filter } = query;
    const name = `web-tester-audit-${new Date().toISOString().replaceAll(":", "-")}.${format}`;
    response.setHeader(
      "Content-Type",
      format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
    );
    response.setHeader("Content-Disposition", `attachment; filename="${name}"`);
    response.setHeader("Cache-Control", "no-store");
    await this.sender.pieces(response, format === "csv" ? this.csv(filter) : this.json(filter));
  }

  private async *csv(filter: AuditFilter): AsyncGenerator<string> {
    yield csvHead;
    for await (const entries of this.all(filter)) yield entries.map(toCsv).join("");
  }

  private async *json(filter: AuditFilter): AsyncGenerator<string> {
    let separator = "[\n";
    for await (const entries of this.all(filter))
      for (const entry of entries) {
        yield separator + JSON.stringify(entry);
        separator = ",\n";
      }
    yield separator === "[\n" ? "[]\n" : "\n]\n";
  }

  private async *all(filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
    let cursor: string | null = null;
    do {
      const rows: AuditEntry[] = await selectAudit(this.db, filter, cursor, rowsPerPiece);
      if (rows.length > 0) yield rows;
      cursor = rows.length < rowsPerPiece ? null : (rows.at(-1)?.id ?? null);
    } while (cursor !== null);
  }
}
