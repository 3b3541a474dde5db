import { Controller, Get, Inject, NotFoundException, Res } from "@nestjs/common";
import type { Bus } from "@web-tester/platform/bus/bus";
import { checkSchema, readOnlyProblem } from "@web-tester/records/schema/check-schema";
import type { Database } from "@web-tester/platform/database/database";
import type { Metrics } from "@web-tester/platform/metrics/metrics";
import { runChecks } from "@web-tester/platform/lifecycle/run-checks";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Response } from "express";
import { Public } from "../http/public.js";
import { BROWSER_PROBLEM, BUS, DB, type GatewayOptions, METRICS, OPTIONS, STORE } from "../parts.js";

@Controller()
export class HealthController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(STORE) private readonly store: ObjectStore,
    @Inject(METRICS) private readonly metrics: Metrics,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
    @Inject(BROWSER_PROBLEM) private readonly browserProblem: () => Promise<string | null>,
  ) {}

  @Get("/healthz")
  @Public()
  alive(): { status: string } {
    return { status: "alive" };
  }

  @Get("/readyz")
  @Public()
  async ready(@Res() response: Response): Promise<void> {
    const unreachable = await runChecks({
      database: () => checkSchema(this.db),
      bus: () => this.bus.check(),
      storage: () => this.store.check(),
    });
    response.setHeader("Cache-Control", "no-store");
    // why the parts on that disk do not answer, most likely
    const disk = this.options.fullDisk();
    if (unreachable.length === 0) {
      const [database, browser] = await Promise.all([readOnlyProblem(this.db), this.browserProblem()]);
      response.json({
        status: "ready",
        ...degradedBy({ database, storage: this.store.writeProblem(), browser, disk }),
      });
    } else response.status(503).json({ status: "not ready", unreachable, ...degradedBy({ disk }) });
  }

  @Get("/metrics")
  @Public()
  async numbers(@Res() response: Response): Promise<void> {
    // anybody may reach this port, so that metrics are shown on another one where there is one
    if (!this.options.showsMetrics) throw new NotFoundException();
    const text = await this.metrics.registry.metrics();
    response.setHeader("Content-Type", this.metrics.registry.contentType);
    response.end(text);
  }
}

/** The parts that work only in part, with the reasons; nothing where all is well. */
function degradedBy(problems: Record<string, string | null>): { degraded?: { name: string; reason: string }[] } {
  const degraded = Object.entries(problems).flatMap(([name, reason]) => (reason === null ? [] : [{ name, reason }]));
  return degraded.length === 0 ? {} : { degraded };
}
