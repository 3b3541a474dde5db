import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type AddressPolicy, consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createFilteringProxy } from "@web-tester/platform/egress/filtering-proxy";
import type { Lookup } from "@web-tester/platform/egress/resolve";
import { reachingLoopback, spelledHosts } from "@web-tester/platform/egress/test-addresses";
import { startBrowserLoading } from "../support/browser-loading.js";
import { type Canary, startCanary } from "../support/canary.js";
import { type Site, startSite } from "../support/site.js";

/** Tries every spelling of forbidden addresses with every kind of request to the filtering proxy. */
const lookup: Lookup = async () => [{ address: "127.0.0.1", family: 4 }];
const guarded = createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [] });
const unguarded: AddressPolicy = { decide: () => ({ allowed: true }) };

let canary: Canary;
let site: Site;
let reaching: string[];

beforeAll(async () => {
  canary = await startCanary();
  site = await startSite({});
  const probe = connect(canary.port, "::1");
  const hasIpv6 = await Promise.race([once(probe, "connect").then(() => true), once(probe, "error").then(() => false)]);
  probe.destroy();
  reaching = reachingLoopback.filter((host) => hasIpv6 || new URL(`http://${host}/`).hostname !== "[::1]");
});
afterAll(async () => {
  await Promise.all([canary?.close(), site?.close()]);
});

/** The requests that a client may write to the proxy; except “as a browser writes it”, no URL parser normalises the host, only non-ASCII is escaped. */
const entries: Record<string, (host: string, port: number, way: string) => string> = {
  "absolute-form GET": (host, port, way) =>
    `GET http://${ascii(host)}:${port}/${way} HTTP/1.1\r\nHost: ${ascii(host)}:${port}\r\nConnection: close\r\n\r\n`,
  "absolute-form GET as a browser writes it": (host, port, way) =>
    `GET ${new URL(`http://${host}:${port}/${way}`).href} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  CONNECT: (host, port) => `CONNECT ${ascii(host)}:${port} HTTP/1.1\r\nHost: x\r\n\r\n`,
  "CONNECT as a browser writes it": (host, port) =>
    `CONNECT ${new URL(`http://${host}/`).hostname}:${port} HTTP/1.1\r\nHost: x\r\n\r\n`,
};

function ascii(host: string): string {
  return [...host].map((char) => (char.charCodeAt(0) < 0x80 ? char : encodeURIComponent(char))).join("");
}

/** Returns the first line of the proxy's response; empty if it closes the connection. */
async function ask(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let said = "";
  socket.on("error", () => undefined);
  socket.write(request, "latin1");
  for await (const chunk of socket) {
    said += String(chunk);
    if (said.includes("\r\n")) break;
  }
  socket.destroy();
  return said.split("\r\n", 1)[0] ?? "";
}

/** Opens a proxy listener for a page of the site, requests each host through it and counts the requests that arrive at the canary. */
async function askAll(policy: AddressPolicy, hosts: readonly string[], request: (host: string) => string) {
  const proxy = createFilteringProxy(policy, { lookup });
  const proxyListener = await proxy.openListener();
  proxyListener.open({
    consent: consentFor(new URL(site.url)),
    maxBytes: 1e9,
    onOverBudget: () => undefined,
    enter: async () => () => undefined,
  });
  const { username, password: secret } = proxyListener.credentials;
  const password = `Proxy-Authorization: Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}\r\n`;
  try {
    const answers: [host: string, answer: string, arrivals: number][] = [];
    for (const host of hosts) {
      canary.reset();
      const answer = await ask(proxyListener.port, request(host).replace("\r\n", `\r\n${password}`)).catch(() => "");
      answers.push([host, answer, canary.arrivals()]);
    }
    return answers;
  } finally {
    await proxy.close();
  }
}

test("there are at least 400 spellings", () => {
  expect(spelledHosts.length).toBeGreaterThanOrEqual(400);
});

describe.each(Object.entries(entries))("by %s", (name, write) => {
  const isTunnel = name.startsWith("CONNECT");

  test("every spelling is refused and nothing arrives", async () => {
    const answers = await askAll(guarded, spelledHosts, (host) => write(host, canary.port, "x"));
    expect(answers).toHaveLength(spelledHosts.length);
    const letIn = answers.filter(([, answer, arrivals]) => arrivals > 0 || / 200 /.test(answer));
    expect(letIn).toEqual([]);
    // the proxy refused the address; it did not fail to parse the request
    if (isTunnel) expect(new Set(answers.map(([, answer]) => answer))).toEqual(new Set(["HTTP/1.1 502 Bad Gateway"]));
  });

  test("without the policy each that leads to loopback arrives, so it is the policy that holds", async () => {
    const answers = await askAll(unguarded, reaching, (host) => write(host, canary.port, "x"));
    expect(answers).toEqual(reaching.map((host) => [host, expect.stringContaining(" 200 "), 1]));
  });

  test("the page's own host is let through", async () => {
    const { port } = new URL(site.url);
    site.pages.set("/x", "mine");
    const [own] = await askAll(guarded, ["127.0.0.1"], (host) => write(host, Number(port), "x"));
    expect(own?.[1]).toContain(" 200 ");
  });
});

describe("by a redirect that the browser follows", () => {
  /** Loads pages whose pictures redirect to the hosts, 100 on each so that it finishes in time. @returns how many were requested, and the ways that arrived */
  async function redirectAll(
    policy: AddressPolicy,
    hosts: readonly string[],
  ): Promise<{ asked: number; ways: string[] }> {
    canary.reset();
    for (const [index, host] of hosts.entries())
      site.pages.set(`/to/${index}`, (_request, response) => {
        // the spelling as it is, not normalised by a URL parser
        response.writeHead(302, { location: `http://${ascii(host)}:${canary.port}/host-${index}` }).end();
      });
    site.requests.length = 0;
    const browser = startBrowserLoading({ policy, lookup });
    const pictures = hosts.map((_host, index) => `<img src="/to/${index}">`);
    try {
      for (let at = 0; at < pictures.length; at += 100) {
        site.pages.set("/", `<!doctype html><title>Redirects</title>${pictures.slice(at, at + 100).join("")}`);
        expect(await browser.load(site.url)).toMatchObject({ kind: "page", warning: null });
      }
    } finally {
      await browser.close();
    }
    return {
      asked: new Set(site.requests.filter((path) => path.startsWith("/to/"))).size,
      ways: [...canary.ways].filter((way) => way.startsWith("host-")).sort(),
    };
  }

  test("every spelling is refused and nothing arrives", async () => {
    const { asked } = await redirectAll(guarded, spelledHosts);
    expect(asked).toBe(spelledHosts.length);
    expect(canary.arrivals()).toBe(0);
  }, 300_000);

  test("without the policy each that leads to loopback arrives, so it is the policy that holds", async () => {
    const { asked, ways } = await redirectAll(unguarded, reaching);
    expect(asked).toBe(reaching.length);
    expect(ways).toEqual(reaching.map((_host, index) => `host-${index}`).sort());
  }, 300_000);
});
