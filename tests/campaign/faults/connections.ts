import { type ProxyOwner, proxyOwners, type FaultProxies } from "../lane.ts";
import type { Random } from "../random.ts";
import type { StoreTrouble } from "../store-proxy.ts";
import { type Fault, nothing } from "./fault.ts";

const delayMs = 5_000;

/** The parts that connect to each server; all of them connect to the database. */
const askers = {
  postgres: proxyOwners,
  nats: ["gateway", "crawler", "fetcher", "differ"],
  store: ["gateway", "fetcher", "differ", "tools"],
} as const satisfies Record<keyof FaultProxies, readonly ProxyOwner[]>;

/** Draws whose connections to a server are hit: those of one part, or in a fifth of the cases those of all. */
function drawn(
  random: Random,
  proxies: Record<ProxyOwner, FaultProxies>,
  server: keyof FaultProxies,
): { names: string; hit: FaultProxies[] } {
  const names = random.chance(0.2) ? [...askers[server]] : [random.pick<ProxyOwner>(askers[server])];
  return { names: names.join(", "), hit: names.map((name) => proxies[name]) };
}

/** Connections to the database or NATS are closed: only once (refused for 50 ms), or refused for up to 20 s. */
const cut = (server: "postgres" | "nats"): Fault => ({
  name: `cut-${server}`,
  store: "folder",
  strike({ lane, random }) {
    const { names, hit } = drawn(random, lane.proxies, server);
    for (const proxies of hit) proxies[server].cut();
    return {
      where: `${names} – ${server}`,
      forMs: random.chance(0.4) ? 50 : random.between(1_000, 20_000),
      heal: () => hit.forEach((proxies) => proxies[server].open()),
    };
  },
});

const delayed = (server: "postgres" | "nats"): Fault => ({
  name: `delay-${server}`,
  store: "folder",
  strike({ lane, random }) {
    const { names, hit } = drawn(random, lane.proxies, server);
    for (const proxies of hit) proxies[server].delay(delayMs);
    return {
      where: `${names} – ${server}`,
      forMs: random.between(5_000, 20_000),
      heal: () => hit.forEach((proxies) => proxies[server].open()),
    };
  },
});

/** Requests to the object store go wrong: in most cases those of all parts, else mostly those of one. */
const troubled = (name: string, trouble: (random: Random) => StoreTrouble, more: Partial<Fault> = {}): Fault => ({
  name,
  store: "bucket",
  ...more,
  strike({ lane, random }) {
    const { names, hit } = random.chance(0.7)
      ? { names: "all", hit: proxyOwners.map((owner) => lane.proxies[owner]) }
      : drawn(random, lane.proxies, "store");
    const what = trouble(random);
    for (const proxies of hit) proxies.store?.trouble(what);
    return {
      where: `${names} – store: ${JSON.stringify(what)}`,
      forMs: random.between(2_000, 20_000),
      heal: () => hit.forEach((proxies) => proxies.store?.trouble({ kind: "none" })),
    };
  },
});

const status = (code: number, name: string, method?: string) => (random: Random) =>
  ({
    kind: "status",
    status: code,
    code: name,
    share: random.pick([1, 1, 0.5, 0.1]),
    ...(method === undefined ? {} : { method }),
  }) as const;

/** The fault that does nothing: its rounds measure how long the product takes undisturbed. */
export const noFault: Fault = {
  name: "nothing",
  store: "folder",
  strike: () => ({ where: "nowhere", forMs: 0, heal: nothing }),
};

/** Faults of the connections between parts, and of the object store. */
export const connectionFaults: readonly Fault[] = [
  cut("postgres"),
  cut("nats"),
  troubled("cut-store", () => ({ kind: "cut" })),
  delayed("postgres"),
  delayed("nats"),
  troubled("delay-store", () => ({ kind: "slow", ms: delayMs })),
  troubled("store-500", status(500, "InternalError")),
  troubled("store-503", status(503, "SlowDown")),
  troubled("store-slow", (random) => ({ kind: "slow", ms: Math.round(random.between(200, 2_000)) })),
  troubled("store-truncated", (random) => ({ kind: "truncated", share: random.pick([1, 0.5, 0.1]) })),
  troubled("store-refuses-deletes", status(403, "AccessDenied", "DELETE"), { with: ["delete", "collect"] }),
  troubled("store-over-quota", status(507, "InsufficientStorage", "PUT")),
];
