import { type Server, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type AddressPolicy, createAddressPolicy } from "./address-policy.js";
import { type Egress, createEgress } from "./egress.js";
import type { Lookup } from "./resolve.js";
import { reachingLoopback, spelledHosts } from "./test-addresses.js";

/** Number of connections on loopback: what a guard must keep at 0. */
let connections = 0;
const canaries: Server[] = [];
let port = 0;
let hasIpv6 = true;

function portOf(server: Server): number {
  const address = server.address();
  return address === null || typeof address === "string" ? 0 : address.port;
}

const listen = (host: string, wanted: number) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => undefined);
      socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    });
    server.once("error", reject);
    server.listen(wanted, host, () => {
      canaries.push(server);
      resolve(portOf(server));
    });
  });

const toLoopback: Lookup = async () => [{ address: "127.0.0.1", family: 4 }];
const unguarded: AddressPolicy = { decide: () => ({ allowed: true }) };
const guarded = createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [] });
let withGuard: Egress;
let withoutGuard: Egress;

beforeAll(async () => {
  port = await listen("127.0.0.1", 0);
  hasIpv6 = await listen("::1", port).then(
    () => true,
    () => false,
  );
  withGuard = createEgress(guarded, { lookup: toLoopback });
  withoutGuard = createEgress(unguarded, { lookup: toLoopback });
});

afterAll(async () => {
  await Promise.all([withGuard.close(), withoutGuard.close()]);
  for (const server of canaries) server.close();
});

/** Whether a host can only be reached through an IPv6 loopback. */
const ofIpv6Loopback = (host: string) => new URL(`http://${host}/`).hostname === "[::1]";

async function attempt(egress: Egress, host: string): Promise<string> {
  try {
    const { body, status } = await egress.request({
      url: new URL(`http://${host}:${port}/`),
      headers: {},
      consent: null,
      deadlineMs: 5_000,
    });
    body.resume();
    return String(status);
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}

describe("spellings of addresses that nobody may fetch", () => {
  test("there are at least 400 of them, and the URL parser takes every one", () => {
    expect(spelledHosts.length).toBeGreaterThanOrEqual(400);
    expect(spelledHosts.filter((host) => !URL.canParse(`http://${host}/`))).toEqual([]);
  });

  test("with the guard each is refused, and nothing connects", async () => {
    connections = 0;
    const results = await Promise.all(
      spelledHosts.map(async (host) => [host, await attempt(withGuard, host)] as const),
    );
    expect(results.filter(([, result]) => result !== "address_refused")).toEqual([]);
    expect(connections).toBe(0);
  });

  test("without the guard every spelling of loopback and of a name that points there connects", async () => {
    const reaching = reachingLoopback.filter((host) => hasIpv6 || !ofIpv6Loopback(host));
    expect(reaching.filter((host) => !spelledHosts.includes(host))).toEqual([]);
    for (const host of reaching) {
      connections = 0;
      expect([host, await attempt(withoutGuard, host)]).toEqual([host, "204"]);
      expect([host, connections]).toEqual([host, 1]);
    }
  });

  test("consent for one host and port opens exactly that", async () => {
    connections = 0;
    const consent = { host: "127.0.0.1", port };
    const url = (host: string, at: number) => new URL(`http://${host}:${at}/`);
    await expect(withGuard.request({ url: url("127.0.0.1", port + 1), headers: {}, consent })).rejects.toMatchObject({
      code: "address_refused",
    });
    await expect(withGuard.request({ url: url("localhost", port), headers: {}, consent })).rejects.toMatchObject({
      code: "address_refused",
    });
    expect(connections).toBe(0);
    const { status, body } = await withGuard.request({ url: url("127.0.0.1", port), headers: {}, consent });
    body.resume();
    expect([status, connections]).toEqual([204, 1]);
    await expect(withGuard.request({ url: url("127.0.0.1", port), headers: {}, consent: null })).rejects.toMatchObject({
      code: "address_refused",
    });
  });
});
