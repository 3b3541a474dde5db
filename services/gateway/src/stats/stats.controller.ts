import { Controller, Inject } from "@nestjs/common";
import type { Response } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { Handles } from "../http/handles.js";
import { BUS, DB, type GatewayOptions, OPTIONS } from "../parts.js";
import { selectSizes } from "./select-sizes.sql.js";

@Controller()
export class StatsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  @Handles("getStats")
  async stats(): Promise<Response<"getStats">> {
    const [sizes, log] = await Promise.all([selectSizes(this.db), logStats(this.bus)]);
    return {
      db: { bytes: sizes.db_bytes, provider: `PostgreSQL ${sizes.db_version}` },
      log: { bytes: log.bytes, path: log.name },
      assets: { bytes: sizes.stored_bytes, path: this.options.storagePlace },
    };
  }

  @Handles("clearLogs")
  async clearLogs(): Promise<Response<"clearLogs">> {
    try {
      await this.bus.clearLog();
    } catch (error) {
      throw new AppError(
        "unavailable",
        "The job log cannot be emptied: the message bus does not answer. Check that NATS runs, and try again.",
        { cause: error },
      );
    }
    return { ok: true };
  }
}

async function logStats(bus: Bus): Promise<{ bytes: number; name: string }> {
  try {
    return await bus.logStats();
  } catch (error) {
    throw new AppError(
      "unavailable",
      "The size of the job log cannot be read: the message bus does not answer. Check that NATS runs, and try again.",
      { cause: error },
    );
  }
}
