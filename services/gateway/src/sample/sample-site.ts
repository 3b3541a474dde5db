import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from "@nestjs/common";
import type { Logger } from "@web-tester/platform/log/logger";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type GatewayOptions, LOG, OPTIONS } from "../parts.js";
import { samplePage, sampleSitemap } from "./sample-pages.js";

/** The sample site listens on loopback, where only this machine reaches it. */
const host = "127.0.0.1";

/**
 * Serves a small site for newcomers who have none of their own at hand. It has a port of its own beside the gateway, so that it is
 * fetched through the same guarded egress as any other site, and the gateway itself never is.
 */
@Injectable()
export class SampleSite implements OnApplicationBootstrap, OnModuleDestroy {
  private server: Server | undefined;
  private readonly visits = new Map<string, number>();

  constructor(
    @Inject(OPTIONS) private readonly options: GatewayOptions,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** The address of the site, without a slash at the end; null where this product offers none. */
  get origin(): string | null {
    return this.server === undefined ? null : `http://${host}:${this.options.samplePort}`;
  }

  async onApplicationBootstrap(): Promise<void> {
    const port = this.options.samplePort;
    if (port === null) return;
    const server = createServer((request, response) => this.answer(request, response));
    await new Promise<void>((resolve) => {
      server.once("error", (error) => {
        // the product works without its sample site
        this.log.warn({ port, reason: error.message }, "The sample site cannot listen and is left out");
        resolve();
      });
      server.listen({ host, port }, () => {
        this.server = server;
        resolve();
      });
    });
  }

  onModuleDestroy(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const method = request.method ?? "";
    if (method !== "GET" && method !== "HEAD") {
      response.writeHead(405, { Allow: "GET, HEAD" }).end();
      return;
    }
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const visit = this.visits.get(path) ?? 0;
    const page = path === "/sitemap.xml" ? sampleSitemap(this.origin ?? "") : samplePage(path, visit);
    // only pages that exist are counted: they are few, while addresses could be any number
    if (page.status === 200 && method === "GET") this.visits.set(path, visit + 1);
    response.writeHead(page.status, {
      "Content-Type": page.contentType,
      "Content-Length": Buffer.byteLength(page.body),
      ...(page.location === undefined ? {} : { Location: page.location }),
    });
    response.end(method === "HEAD" ? undefined : page.body);
  }
}
