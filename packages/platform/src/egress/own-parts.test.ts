import { hostname } from "node:os";
import { expect, test } from "@jest/globals";
import { createAddressPolicy } from "./address-policy.js";
import { openOwnParts, type OwnPartsOptions } from "./own-parts.js";
import type { ResolvedAddress } from "./resolve.js";

/** A bus that many processes share: all receive what one sends, including the sender. */
function createBus(): OwnPartsOptions["bus"] {
  const listeners = new Set<[subject: string, listener: (value: unknown) => void]>();
  return {
    tell(subject, value) {
      for (const [heard, listener] of listeners) if (heard === subject) listener(JSON.parse(JSON.stringify(value)));
    },
    hear(subject, listener) {
      const entry: [string, (value: unknown) => void] = [subject, listener];
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    servers: () => ["10.0.0.30:4222", "[fd00::30]:4222"],
  };
}

const base = { named: [], lookup: async () => [], databaseAddress: async () => null };
const allowAll = { private: "deny", allow: ["0.0.0.0/0", "::/0"] } as const;

test("what one process listens on is denied to the others: to those already there, and to those that come later", async () => {
  const bus = createBus();
  const earlier = await openOwnParts({ ...base, bus });
  const gateway = await openOwnParts({ ...base, bus });
  gateway.listens("10.0.0.7", 8080);
  const later = await openOwnParts({ ...base, bus });
  for (const parts of [earlier, gateway, later]) {
    const policy = createAddressPolicy({ ...allowAll, ownAddresses: parts.current });
    const decide = (address: string, port: number) =>
      policy.decide({ host: "x.test", address, port, consent: null }).allowed;
    expect(decide("10.0.0.7", 8080)).toBe(false);
    // addresses of the bus's servers
    expect([decide("10.0.0.30", 4222), decide("fd00::30", 4222)]).toEqual([false, false]);
    expect([decide("10.0.0.7", 80), decide("10.0.0.8", 8080)]).toEqual([true, true]);
    parts.close();
  }
});

test("loopback of another machine is not ours, and what makes no sense is not heard", async () => {
  const bus = createBus();
  const parts = await openOwnParts({ ...base, bus });
  const listens = [{ host: "127.0.0.1", port: 8080 }];
  bus.tell("presence.here", { process: "a", machine: `other-than-${hostname()}`, listens });
  bus.tell("presence.here", { process: "b", machine: hostname(), listens: [{ host: "10.0.0.1", port: "x" }] });
  bus.tell("presence.here", null);
  const policy = createAddressPolicy({ ...allowAll, ownAddresses: parts.current });
  const isAllowed = () => policy.decide({ host: "127.0.0.1", address: "127.0.0.1", port: 8080, consent: null }).allowed;
  expect(isAllowed()).toBe(true);
  bus.tell("presence.here", { process: "c", machine: hostname(), listens });
  expect(isAllowed()).toBe(false);
  parts.close();
});

test("a name is looked up again, its earlier addresses stay denied for a while, and the database says where it really is", async () => {
  let address = "10.0.0.50";
  const lookup = async (host: string): Promise<ResolvedAddress[]> => (host === "db" ? [{ address, family: 4 }] : []);
  const parts = await openOwnParts({
    ...base,
    bus: createBus(),
    named: [{ host: "db", port: 5432 }],
    lookup,
    databaseAddress: async () => ({ host: "10.244.0.9", port: 5432 }),
    everyMs: 10,
  });
  const policy = createAddressPolicy({ ...allowAll, ownAddresses: parts.current });
  const isAllowed = (to: string, host = "x.test") =>
    policy.decide({ host, address: to, port: 5432, consent: null }).allowed;
  expect([isAllowed("10.0.0.50"), isAllowed("10.244.0.9"), isAllowed("10.9.9.9", "db")]).toEqual([false, false, false]);
  expect(isAllowed("10.0.0.51")).toBe(true);
  address = "10.0.0.51";
  while (isAllowed("10.0.0.51")) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isAllowed("10.0.0.50")).toBe(false);
  parts.close();
});
