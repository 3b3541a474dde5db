import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createAddressPolicy } from "./address-policy.js";
import { createEgress } from "./egress.js";
import { createNames, type NamesOptions } from "./names.js";
import { candidatesFor, parseHosts, parseResolv, watchNameSettings } from "./name-settings.js";
import { type NameAnswer, type NameServer, startNameServer } from "./test-name-server.js";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const here: NameAnswer = { records: [{ type: "A", data: "127.0.0.1" }] };
const nothing: NameAnswer = { records: [] };
const unknown: NameAnswer = { rcode: 3 };

/** Creates names that ask only a server of this test, with system files of the given content. */
async function namesWith(
  answer: Parameters<typeof startNameServer>[0],
  { resolv = "options ndots:1\n", hosts = "", ...options }: NamesOptions & { resolv?: string; hosts?: string } = {},
) {
  const server: NameServer = await startNameServer(answer);
  const folder = await mkdtemp(join(tmpdir(), "web-tester-names-"));
  closers.push(
    () => server.close(),
    () => rm(folder, { recursive: true, force: true }),
  );
  const files = { hosts: join(folder, "hosts"), resolv: join(folder, "resolv"), nsswitch: join(folder, "nsswitch") };
  // keeps the search domain of this machine out
  await writeFile(files.resolv, resolv.includes("search") ? resolv : `search .\n${resolv}`);
  await writeFile(files.hosts, hosts);
  return { ...createNames({ servers: [server.address], files, ...options }), server, files };
}

const addressesOf = (found: { address: string }[]) => found.map(({ address }) => address).toSorted();

describe("a name", () => {
  test("has the addresses of both families, through aliases, and is asked for once while it is remembered", async () => {
    const { lookup, server } = await namesWith((_name, type) => ({
      records: [
        { type: "CNAME", data: "a.cdn.test" },
        { type: "CNAME", name: "a.cdn.test", data: "b.cdn.test" },
        type === "A"
          ? { type, name: "b.cdn.test", data: "192.0.2.7" }
          : { type, name: "b.cdn.test", data: "2001:db8::7" },
      ],
    }));
    const both = await Promise.all([lookup("www.site.test"), lookup("WWW.site.test"), lookup("www.site.test")]);
    for (const found of both) expect(addressesOf(found)).toEqual(["192.0.2.7", "2001:db8::7"]);
    expect(addressesOf(await lookup("www.site.test"))).toEqual(["192.0.2.7", "2001:db8::7"]);
    expect(server.asked.toSorted()).toEqual(["A www.site.test", "AAAA www.site.test"]);
  });

  test("of one family is not held up by silence about the other", async () => {
    const { lookup } = await namesWith((_name, type) => (type === "A" ? here : null));
    expect(await lookup("half.test")).toEqual([{ address: "127.0.0.1", family: 4 }]);
  });

  test("whose answer is cut off over UDP is asked for over TCP, and a huge answer is bounded", async () => {
    const many = Array.from({ length: 1_500 }, (_, at) => `192.0.2.${at % 250}`);
    const { lookup, server } = await namesWith((_name, type) =>
      type === "AAAA" ? nothing : { isCut: true, records: many.map((data) => ({ type, data })) },
    );
    expect(await lookup("huge.test")).toHaveLength(64);
    expect(server.asked).toContain("A huge.test tcp");
  });

  test.each<[string, NameAnswer | null, string]>([
    ["that is not there", unknown, "ENOTFOUND"],
    ["without addresses", nothing, "ENODATA"],
    ["whose server is broken", { rcode: 2 }, "ESERVFAIL"],
    ["nobody answers for", null, "ETIMEOUT"],
    ["answered for under the number of another question", { ...here, isForeign: true }, "ETIMEOUT"],
    ["answered for with another name", { ...here, asIfFor: "other.test" }, "ETIMEOUT"],
    ["answered for too late", { ...here, afterMs: 5_000 }, "ETIMEOUT"],
  ])("%s fails within its limit, and at once for a while after", async (_what, answer, code) => {
    const { lookup, server } = await namesWith(
      (_name, type) => (type === "A" ? answer : answer && { ...answer, records: [] }),
      {
        resolv: "options timeout:1 attempts:1\n",
        timeLimitMs: 400,
      },
    );
    await expect(lookup("bad.test")).rejects.toMatchObject({ code });
    const asked = server.asked.length;
    expect(asked).toBeGreaterThan(0);
    await expect(lookup("bad.test")).rejects.toMatchObject({ code });
    expect(server.asked).toHaveLength(asked);
  });

  test("is given up when nobody waits for it any more, and not before", async () => {
    const { lookup, server } = await namesWith(() => null);
    const [one, other] = [new AbortController(), new AbortController()];
    const first = lookup("silent.test", { signal: one.signal });
    const second = lookup("silent.test", { signal: other.signal });
    while (server.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    one.abort(new Error("the first left"));
    await expect(first).rejects.toThrow("the first left");
    // the question is shared: no second one was sent
    expect(server.asked).toHaveLength(2);
    other.abort(new Error("the second left"));
    await expect(second).rejects.toThrow("the second left");
    // an abandoned question is not remembered as a failure
    const third = new AbortController();
    const again = lookup("silent.test", { signal: third.signal });
    while (server.asked.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    third.abort(new Error("enough"));
    await expect(again).rejects.toThrow("enough");
  });
});

describe("as this system has it", () => {
  test("the hosts file comes first, also once it changed, and localhost is this machine", async () => {
    const { lookup, server, files } = await namesWith(() => unknown, { hosts: "10.1.2.3 intra intra.corp # ours\n" });
    expect(addressesOf(await lookup("intra.corp"))).toEqual(["10.1.2.3"]);
    expect(addressesOf(await lookup("any.localhost"))).toEqual(["127.0.0.1", "::1"]);
    expect(server.asked).toEqual([]);
    await writeFile(files.hosts, "10.1.2.33 intra\n");
    const changed = async () => addressesOf(await lookup("intra").catch(() => []));
    while ((await changed())[0] !== "10.1.2.33") await new Promise((resolve) => setTimeout(resolve, 100));
  });

  test("a short name is tried in the search domains, and every name where ndots says so", async () => {
    const { lookup, server } = await namesWith(
      (name, type) => (type === "A" && name === "www.site.test" ? here : unknown),
      { resolv: "search ns.svc.cluster.local svc.cluster.local\noptions ndots:5\n" },
    );
    expect(addressesOf(await lookup("www.site.test"))).toEqual(["127.0.0.1"]);
    expect(server.asked.filter((asked) => asked.startsWith("A "))).toEqual([
      "A www.site.test.ns.svc.cluster.local",
      "A www.site.test.svc.cluster.local",
      "A www.site.test",
    ]);
  });

  test.each([
    ["www.a.test", 1, ["www.a.test", "www.a.test.x.test"]],
    ["db", 1, ["db.x.test", "db"]],
    ["www.a.test.", 5, ["www.a.test"]],
  ])("%s with ndots:%i is asked for as %j", (name, ndots, wanted) => {
    expect(candidatesFor(name, { search: ["x.test"], ndots })).toEqual(wanted);
  });

  test("resolv.conf is read with its options, its last search list and at most three servers", () => {
    const text =
      "# x\nnameserver 10.0.0.1\nnameserver fe80::1%eth0 ; y\nnameserver nonsense\nnameserver 10.0.0.3\nnameserver 10.0.0.4\ndomain a.test\nsearch b.test c.test.\noptions ndots:20 timeout:3 attempts:9 rotate\n";
    expect(parseResolv(text, {}, "host.own.test")).toEqual({
      servers: ["10.0.0.1", "fe80::1%eth0", "10.0.0.3"],
      rotates: true,
      search: ["b.test", "c.test"],
      ndots: 15,
      timeoutMs: 3_000,
      attempts: 5,
    });
    expect(parseResolv("", { RES_OPTIONS: "ndots:2" }, "host.own.test")).toEqual({
      servers: ["127.0.0.1"],
      rotates: false,
      search: ["own.test"],
      ndots: 2,
      timeoutMs: null,
      attempts: null,
    });
    expect(parseResolv("search x.test", { LOCALDOMAIN: "y.test z.test" }, "host").search).toEqual(["y.test", "z.test"]);
  });

  test("hosts are read by name, whatever else stands in the file", () => {
    const hosts = parseHosts("127.0.0.1 localhost\n::1\tlocalhost IP6-localhost\nnonsense x\n\n10.0.0.1 a. # b\n");
    expect(Object.fromEntries(hosts)).toEqual({
      localhost: ["127.0.0.1", "::1"],
      "ip6-localhost": ["::1"],
      a: ["10.0.0.1"],
    });
  });

  test("where there is no name server file the system's own resolver is asked", async () => {
    const missing = { hosts: "/nonexistent/hosts", resolv: "/nonexistent/resolv", nsswitch: "/nonexistent/nsswitch" };
    expect(await watchNameSettings(missing)()).toBeNull();
    expect(addressesOf(await createNames({ files: missing }).lookup("localhost"))).toContain("127.0.0.1");
  });
});

describe("names that nobody answers for", () => {
  test("300 of one object keep no other waiting, and the product still decides about each address", async () => {
    const site = createServer((_request, response) => response.end("here")).listen(0, "127.0.0.1");
    closers.push(() => site.close());
    await new Promise((resolve) => site.once("listening", resolve));
    const bound = site.address();
    const port = typeof bound === "object" && bound !== null ? bound.port : 0;
    const names = await namesWith((name, type) => {
      if (name.endsWith("silent.test")) return null;
      return type === "AAAA" ? nothing : here;
    });
    const egress = createEgress(createAddressPolicy({ private: "deny", allow: ["innocent.test"], ownAddresses: [] }), {
      names,
    });
    closers.push(() => egress.close());
    const stop = new AbortController();
    let ended = 0;
    const hostile = Array.from({ length: 300 }, (_, at) =>
      egress
        .request({
          url: new URL(`http://n${at}.silent.test/x.png`),
          headers: {},
          consent: { host: "hostile.test", port: 80 },
          signal: stop.signal,
        })
        .catch(() => null)
        .finally(() => ended++),
    );
    while (names.server.asked.length < 32) await new Promise((resolve) => setTimeout(resolve, 5));
    const ask = (host: string) =>
      egress.request({
        url: new URL(`http://${host}:${port}/`),
        headers: {},
        consent: { host: "innocent.test", port },
      });
    const answer = await ask("innocent.test");
    expect(answer.status).toBe(200);
    answer.body.resume();
    // the address policy still decides on the resolved address
    await expect(ask("lying.test")).rejects.toMatchObject({ code: "address_refused" });
    expect(ended).toBe(0);
    // 16 of the hostile lookups had been sent, for both address families; the others wait behind them
    expect(new Set(names.server.asked.filter((asked) => asked.includes("silent"))).size).toBe(32);
    stop.abort();
    await Promise.all(hostile);
  });
});
