import { type Server, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type AddressPolicy, createAddressPolicy } from "./address-policy.js";
import { type Egress, createEgress } from "./egress.js";
import type { Lookup } from "./resolve.js";

/** Counts connections on loopback: what a guard must keep at 0. */
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

const ipv4Targets = [
  "127.0.0.1",
  "127.1.2.3",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "169.254.170.2",
  "100.64.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "198.18.0.1",
  "203.0.113.9",
  "224.0.0.1",
  "255.255.255.255",
];

/** The ways in which the URL standard lets one write an IPv4 address, and the ones in which people try to get around filters. */
function spellIpv4(address: string): string[] {
  const parts = address.split(".").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const dword = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const shift = (text: string, zero: number) =>
    [...text].map((char) => (/\d/.test(char) ? String.fromCodePoint(zero + Number(char)) : char)).join("");
  return [
    address,
    `${address}.`,
    String(dword),
    `${dword}.`,
    hex(dword),
    hex(dword).toUpperCase(),
    octal(dword),
    `000${octal(dword)}`,
    `0x0000${dword.toString(16)}`,
    parts.map(hex).join("."),
    parts.map(octal).join("."),
    parts.map((part) => `0x000${part.toString(16)}`).join("."),
    parts.map((part) => `00000${part.toString(8)}`).join("."),
    [hex(a), octal(b), c, d].join("."),
    [a, hex(b), octal(c), hex(d)].join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${hex(a)}.${octal((b * 256 + c) * 256 + d)}`,
    `${octal(a)}.${b}.${hex(c * 256 + d)}`,
    address.replaceAll(".", "。"),
    address.replaceAll(".", "．"),
    address.replaceAll(".", "%2e"),
    [...address].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(""),
    shift(address, 0xff10),
    shift(address, 0x1d7ce),
    shift(address, 0x1d7f6),
    encodeURIComponent(shift(address, 0xff10)),
    `%3${address[0] ?? ""}${address.slice(1)}`,
  ];
}

/** IPv6 forms whose packets end up at an IPv4 address, or did once. */
function embedIpv4(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  const inverted = (hex: string) => (Number.parseInt(hex, 16) ^ 0xffff).toString(16);
  return [
    `[::ffff:${address}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${address}]`,
    `[0000:0000:0000:0000:0000:ffff:${high}:${low}]`,
    `[::${address}]`,
    `[::${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:0:0:0:0:${high}:${low}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:4136:e378:8000:63bf:${inverted(high)}:${inverted(low)}]`,
    `[fe80::5efe:${address}]`,
    `[2606:4700::5efe:${address}]`,
    `[2606:4700::200:5efe:${address}]`,
  ];
}

const ipv6Targets = [
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::0001]",
  "[0::1]",
  "[::]",
  "[0::0]",
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[FD12:3456:789A:0:0:0:0:1]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[ff05::2]",
  "[fd00:ec2::254]",
  "[FD00:EC2:0:0:0:0:0:254]",
  "[fd20:ce::254]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[100::1]",
  "[4000::1]",
];
const names = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "LocalHost",
  "ｌｏｃａｌｈｏｓｔ",
  "loc%61lhost",
  "foo.localhost",
  "metadata.google.internal",
  "127.0.0.1.nip.io",
  "localtest.me",
  "spoofed.burpcollaborator.net",
  "customer1.app.localhost.my.company.127.0.0.1.nip.io",
  "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "xn--fake-9na",
];

const spelled = ipv4Targets.flatMap((address) => spellIpv4(address).map((host) => [host, address] as const));
const embedded = ipv4Targets.flatMap((address) => embedIpv4(address).map((host) => [host, address] as const));
const hosts = [...new Set([...spelled, ...embedded].map(([host]) => host).concat(ipv6Targets, names))];

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
    expect(hosts.length).toBeGreaterThanOrEqual(400);
    expect(hosts.filter((host) => !URL.canParse(`http://${host}/`))).toEqual([]);
  });

  test("with the guard each is refused, and nothing connects", async () => {
    connections = 0;
    const results = await Promise.all(hosts.map(async (host) => [host, await attempt(withGuard, host)] as const));
    expect(results.filter(([, result]) => result !== "address_refused")).toEqual([]);
    expect(connections).toBe(0);
  });

  test("without the guard every spelling of loopback and of a name that points there connects", async () => {
    const reaching = [
      ...spellIpv4("127.0.0.1"),
      ...spellIpv4("0.0.0.0"),
      ...embedIpv4("127.0.0.1").slice(0, 4),
      ...names,
      ...(hasIpv6 ? ["[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]"] : []),
    ];
    expect(reaching.filter((host) => !hosts.includes(host))).toEqual([]);
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
