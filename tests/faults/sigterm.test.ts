import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startHttpLoad } from "../../benches/sigterm/http-load.mjs";
import { type Replica, startReplica } from "../../benches/sigterm/replica.mjs";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { invariantFaults } from "../support/invariants.js";
import { crawl, reached, register, runEnded, startFetch } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, slowly, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Stopping a service, as for an update or when scaling down, fails no request and no page; `npm run bench -- sigterm` does it 50 times. */
describe("SIGTERM under load", () => {
  const pageCount = 60;
  let product: Product;
  let site: Site;
  let replicas: Replica[] = [];

  beforeAll(async () => {
    [product, site] = await Promise.all([
      startProduct({ FETCHERS: "0" }),
      startSite(slowly(manual(pageCount, "first"), 60)),
    ]);
    const services = ["gateway", "gateway", "fetcher", "fetcher"] as const;
    const ports = await freePorts(services.length);
    const started = await Promise.all(
      services.map((service, index) => startReplica(service, ports[index] ?? 0, product.workerEnv())),
    );
    replicas = started;
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.terminate()));
    await product.stop();
    await site.close();
  });

  test("ends in time, fails no request, and loses or doubles no snapshot", async () => {
    const id = await register(product, site.url);
    await crawl(product, id);
    const runId = await startFetch(product, id);
    const load = startHttpLoad({
      origins: replicas.filter(({ service }) => service === "gateway").map(({ origin }) => origin),
      path: () => `/api/testobjects/${id}/testinstances?limit=20&offset=0`,
      clients: 4,
    });
    await reached(product, runId, 5);
    const [gateway, , fetcher, other] = replicas;
    const first = await Promise.all([gateway?.terminate(), fetcher?.terminate()]);
    await gateway?.start();
    const second = await other?.terminate();
    expect([...first, second].map((end) => [end?.code, (end?.seconds ?? 99) < 30])).toEqual(
      [...first, second].map(() => [0, true]),
    );
    await Promise.all([fetcher?.start(), other?.start()]);
    expect(await runEnded(product, runId)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    const { answered, failed } = await load.stop();
    expect(failed).toEqual([]);
    expect(answered).toBeGreaterThan(0);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("a gateway that stops says that it is not ready before it closes", async () => {
    const [gateway] = replicas;
    if (gateway === undefined) throw new Error("There is no gateway");
    const ending = gateway.terminate();
    const answer = await until("a refusal", async () => {
      const response = await fetch(`${gateway.origin}/readyz`);
      return response.status === 503 ? response : undefined;
    });
    expect(answer.headers.get("connection")).toBe("close");
    expect(await answer.json()).toEqual({ status: "stopping" });
    expect((await ending).code).toBe(0);
    await gateway.start();
  });
});
