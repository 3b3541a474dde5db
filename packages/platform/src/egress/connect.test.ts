import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { type Server, connect as connectTcp, createServer } from "node:net";
import { type TlsOptions, createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { type AddressPolicyOptions, createAddressPolicy } from "./address-policy.js";
import { type Egress, type EgressOptions, createEgress } from "./egress.js";
import { type Lookup, type ResolvedAddress, localAddresses, resolveOwnAddresses } from "./resolve.js";

const pair = z.object({ key: z.string(), cert: z.string() });
const certificates = z
  .object({ trustable: pair, expired: pair })
  .parse(JSON.parse(readFileSync(new URL("./test-certificates.json", import.meta.url), "utf8")));

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function portOf(server: Server): number {
  const address = server.address();
  return address === null || typeof address === "string" ? 0 : address.port;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    closers.push(() => server.close());
    server.listen(0, "127.0.0.1", () => resolve(portOf(server)));
  });
}

async function startCanary() {
  const seen = { connections: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"));
  });
  return { seen, port: await listen(server) };
}

function open(options: EgressOptions, policy: Partial<AddressPolicyOptions> = {}): Egress {
  const egress = createEgress(
    createAddressPolicy({ private: "deny", allow: [], ownAddresses: [], ...policy }),
    options,
  );
  closers.push(() => egress.close());
  return egress;
}

/** A resolver that gives each answer once, then the last one always, and records the questions. */
function answerInTurn(...answers: string[][]) {
  const asked: string[] = [];
  const lookup: Lookup = async (hostname) => {
    asked.push(hostname);
    return (
      (answers.length > 1 ? answers.shift() : answers[0])?.map((address): ResolvedAddress => ({
        address,
        family: address.includes(":") ? 6 : 4,
      })) ?? []
    );
  };
  return { lookup, asked };
}

const get = (egress: Egress, url: string) => egress.request({ url: new URL(url), headers: {}, deadlineMs: 5_000 });
// An address of the documentation range, opened by the allow list, stands for a public server: nothing answers there.
const publicStandIn = { allow: ["192.0.2.0/24"] };

describe("DNS rebinding", () => {
  test("the address that was checked is the one that is connected to; a second answer is never asked for", async () => {
    const { seen, port } = await startCanary();
    const { lookup, asked } = answerInTurn(["192.0.2.1"], ["127.0.0.1"]);
    const egress = open({ lookup, connectTimeoutMs: 150 }, publicStandIn);
    await expect(get(egress, `http://rebind.example:${port}/`)).rejects.toMatchObject({
      code: expect.stringMatching(/^(timed_out|connection_failed)$/),
    });
    expect(asked).toEqual(["rebind.example"]);
    expect(seen.connections).toBe(0);
  });

  test("control: checking the name first and connecting to it afterwards reaches the private address", async () => {
    const { seen, port } = await startCanary();
    const { lookup } = answerInTurn(["192.0.2.1"], ["127.0.0.1"]);
    const policy = createAddressPolicy({ private: "deny", ownAddresses: [], ...publicStandIn });
    const decisions = (await lookup("rebind.example")).map(({ address }) =>
      policy.decide({ host: "rebind.example", address, port, consent: null }),
    );
    expect(decisions).toEqual([{ allowed: true }]);
    await new Promise<void>((resolve, reject) => {
      const naive = connectTcp({
        host: "rebind.example",
        port,
        autoSelectFamily: false,
        lookup: (name, _options, answer) =>
          void lookup(name).then(([first]) => answer(null, first?.address ?? "", first?.family)),
      });
      naive
        .once("error", reject)
        .once("connect", () => naive.end("GET / HTTP/1.1\r\n\r\n"))
        .once("close", () => resolve())
        .resume();
    });
    expect(seen.connections).toBe(1);
  });

  test("the next connection is decided anew", async () => {
    const { seen, port } = await startCanary();
    const { lookup } = answerInTurn(["127.0.0.1"], ["10.0.0.1"]);
    const egress = open({ lookup }, { allow: ["127.0.0.1"] });
    const first = await get(egress, `http://site.example:${port}/`);
    await first.body.toArray();
    await expect(get(egress, `http://site.example:${port}/`)).rejects.toMatchObject({
      code: "address_refused",
      message: expect.stringContaining("10.0.0.1"),
    });
    expect(seen.connections).toBe(1);
  });

  test.each([[["192.0.2.1", "127.0.0.1"]], [["127.0.0.1", "192.0.2.1"]], [["192.0.2.1", "192.0.2.2", "::1"]]])(
    "a name with public and private addresses is refused: %j",
    async (answer) => {
      const { seen, port } = await startCanary();
      const egress = open({ lookup: answerInTurn(answer).lookup, connectTimeoutMs: 150 }, publicStandIn);
      await expect(get(egress, `http://mixed.example:${port}/`)).rejects.toMatchObject({ code: "address_refused" });
      expect(seen.connections).toBe(0);
      const trusting = open({ lookup: answerInTurn(["127.0.0.1"]).lookup }, { allow: ["127.0.0.1"] });
      expect((await get(trusting, `http://mixed.example:${port}/`)).status).toBe(200);
    },
  );

  test("a connection whose peer is refused is closed before anything is sent", async () => {
    const { port } = await startCanary();
    let asked = 0;
    const egress = createEgress({
      decide: () => (++asked === 1 ? { allowed: true } : { allowed: false, reason: "no" }),
    });
    closers.push(() => egress.close());
    await expect(get(egress, `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: "address_refused",
      message: expect.stringContaining("may not be fetched"),
    });
  });

  test("several allowed addresses are tried until one answers", async () => {
    const { port } = await startCanary();
    const egress = open({ lookup: answerInTurn(["::1", "127.0.0.1"]).lookup }, { allow: ["127.0.0.0/8", "::1"] });
    expect((await get(egress, `http://two.example:${port}/`)).status).toBe(200);
  });
});

describe("DNS failures", () => {
  const failing =
    (code: string): Lookup =>
    () =>
      Promise.reject(Object.assign(new Error(code), { code }));
  test.each([
    [
      "ENOTFOUND",
      failing("ENOTFOUND"),
      "The host docs.example could not be found: DNS has no address for it. Check the spelling of the URL.",
    ],
    [
      "no address",
      async () => [],
      "The host docs.example could not be found: DNS has no address for it. Check the spelling of the URL.",
    ],
    [
      "EAI_AGAIN",
      failing("EAI_AGAIN"),
      "The host docs.example could not be looked up: DNS did not answer (EAI_AGAIN). Check the spelling of the URL and the network of this machine, and try again.",
    ],
  ])("%s is worded", async (_what, lookup, message) => {
    await expect(get(open({ lookup }), "http://docs.example/")).rejects.toMatchObject({
      code: "dns_failed",
      retryable: true,
      message,
    });
  });

  test("a resolver that never answers ends with the connect timeout", async () => {
    const egress = open({ lookup: () => new Promise(() => undefined), connectTimeoutMs: 50 });
    await expect(get(egress, "http://docs.example/")).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining("docs.example"),
    });
  });
});

describe("TLS", () => {
  const serve = (certificate: { key: string; cert: string }) =>
    listen(createHttpsServer(certificate, (_request, response) => response.end("secret page")));
  const lookup = async (): Promise<ResolvedAddress[]> => [{ address: "127.0.0.1", family: 4 }];
  const allow = ["127.0.0.0/8"];

  test.each([
    ["a self-signed certificate", certificates.trustable, false, "docs.test", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["an expired certificate", certificates.expired, true, "docs.test", "CERT_HAS_EXPIRED"],
    ["a certificate for another name", certificates.trustable, true, "other.test", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("%s is refused and named", async (_what, certificate, isTrusted, host, code) => {
    const port = await serve(certificate);
    const egress = open({ lookup, extraCa: isTrusted ? [certificate.cert] : [] }, { allow });
    const failure = await get(egress, `https://${host}:${port}/`).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "tls_failed", retryable: false, message: expect.stringContaining(code) });
    expect(failure).toMatchObject({ message: expect.stringContaining(`${host}:${port}`) });
  });

  test.each(["docs.test", "docs.test.", "127.0.0.1"])(
    "a trusted certificate for %s is accepted, and its session is used again",
    async (host) => {
      const port = await serve(certificates.trustable);
      const egress = open({ lookup, extraCa: [certificates.trustable.cert] }, { allow });
      for (let turn = 0; turn < 2; turn += 1) {
        const { status, body } = await egress.request({
          url: new URL(`https://${host}:${port}/`),
          headers: { connection: "close" },
        });
        expect([status, Buffer.concat(await body.toArray()).toString()]).toEqual([200, "secret page"]);
      }
    },
  );

  test.each<[string, TlsOptions, RegExp]>([
    ["HTTP/2 only", { ALPNProtocols: ["h2"] }, /HTTP\/2 only.*by HTTP\/1\.1, in the browser too/],
    [
      "TLS 1.0 only",
      { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" },
      /no secure TLS version/,
    ],
  ])("a server that speaks %s is named as such", async (_what, options, words) => {
    const server = createTlsServer({ ...certificates.trustable, ...options }, (socket) => socket.end());
    server.on("tlsClientError", () => undefined);
    const port = await listen(server);
    const failure = await get(open({ lookup }, { allow }), `https://docs.test:${port}/`).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "tls_failed", message: expect.stringMatching(words) });
  });

  test("a server that does not speak TLS is named as such", async () => {
    const { port } = await startCanary();
    await expect(get(open({ lookup }, { allow }), `https://docs.test:${port}/`)).rejects.toMatchObject({
      code: "tls_failed",
      message: expect.stringContaining("serves https"),
    });
  });
});

describe("own addresses", () => {
  test("names are followed to their addresses, and stay where they have none", async () => {
    const lookup: Lookup = async (name) =>
      name === "db" ? [{ address: "10.0.0.5", family: 4 }] : Promise.reject(new Error("none"));
    const parts = [
      { host: "db", port: 5432 },
      { host: "127.0.0.1", port: 4222 },
      { host: "gone", port: 1 },
    ];
    expect(await resolveOwnAddresses(parts, lookup)).toEqual([...parts, { host: "10.0.0.5", port: 5432 }]);
  });

  test("the addresses of this machine include loopback", () => {
    expect(localAddresses()).toContain("127.0.0.1");
  });
});
