import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import type { Database } from "@web-tester/platform/database/database";
import { every, type Repeating } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import { forgetAudit } from "@web-tester/records/audit/audit";
import { forgetSignIns, selectLive } from "@web-tester/records/sign-ins/sign-ins";
import type { Audit } from "../auth/audit.js";
import type { LiveCredentials } from "../auth/live-credentials.js";
import { AUDIT, DB, type GatewayOptions, LIVE, LOG, OPTIONS } from "../parts.js";

const lookEveryMs = 15_000;
const pruneEveryMs = 600_000;

/** Closes open connections whose credentials have ended, also where no gateway announced it, and deletes old sign-ins and audit entries. */
@Injectable()
export class AccessKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private repeating: Repeating[] = [];

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    @Inject(LIVE) private readonly live: LiveCredentials,
    @Inject(AUDIT) private readonly audit: Audit,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.live.start();
    const failed = (what: string) => (err: unknown) => this.log.error({ err }, `${what} failed`);
    this.repeating = [
      every(lookEveryMs, () => this.look(), failed("looking for tokens that have ended")),
      every(pruneEveryMs, (signal) => this.prune(signal), failed("forgetting old sign-ins and entries")),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.repeating.map((each) => each.stop()));
    this.live.stop();
    await this.audit.flush();
  }

  /** Looks up which credentials have ended: they also expire with time, and another gateway's announcement may be lost. */
  private async look(): Promise<void> {
    const ids = this.live.ids();
    if (ids.length === 0) return;
    const alive = await selectLive(this.db, ids);
    this.live.end(ids.filter((id) => !alive.has(id)));
  }

  private async prune(signal: AbortSignal): Promise<void> {
    await forgetSignIns(this.db);
    const { auditDays } = this.options;
    if (auditDays === 0) return;
    while (!signal.aborted && (await forgetAudit(this.db, auditDays)) > 0);
  }
}
