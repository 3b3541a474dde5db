import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type AddressPolicyOptions,
  type Consent,
  consentFor,
  createAddressPolicy,
  isConsented,
} from "./address-policy.js";

const deny: AddressPolicyOptions = { private: "deny", allow: [], ownAddresses: [] };
const ownHost: AddressPolicyOptions = { private: "own-host", allow: [], ownAddresses: [] };

function decide(
  options: AddressPolicyOptions,
  address: string,
  { host = address, port = 80, consent = null }: { host?: string; port?: number; consent?: Consent | null } = {},
) {
  return createAddressPolicy(options).decide({ host, address, port, consent });
}

const publicAddresses = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.0.3.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:82b::200e",
  "2001:200::1",
  "2003::1",
  "2620:fe::fe",
];
const consentable = [
  "127.0.0.1",
  "127.255.255.254",
  "10.0.0.0",
  "10.255.255.255",
  "172.16.0.0",
  "172.31.255.255",
  "192.168.0.0",
  "192.168.255.255",
  "100.64.0.0",
  "100.127.255.255",
  "::1",
  "fc00::1",
  "fdff:ffff::1",
];
const openableByAllowList = [
  "192.0.2.1",
  "198.51.100.7",
  "203.0.113.255",
  "198.18.0.0",
  "198.19.255.255",
  "192.88.99.1",
  "2001:db8::1",
  "3fff::1",
  "2001:2::1",
  "2001:10::1",
  "100::1",
  "4000::1",
  "fec0::1",
  "5f00::1",
  "1fff::1",
  "2606:4700::5efe:808:808",
  "2002:808:808::1",
  "64:ff9b::808:808",
  "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
];
const neverReachable = [
  "0.0.0.0",
  "0.1.2.3",
  "169.254.169.254",
  "169.254.170.2",
  "169.254.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "192.0.0.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::2",
  "::127.0.0.1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:808:808",
  "::ffff:0:0",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fe80::1",
  "febf::1",
  "fe80::a9fe:a9fe",
  "ff02::1",
  "64:ff9b::a9fe:a9fe",
  "2002:a9fe:a9fe::",
  "2002:e000:1::1",
  "2001:0:4136:e378:8000:63bf:5601:5601",
];
const everything = ["0.0.0.0/0", "::/0"];

describe("public addresses", () => {
  test.each(publicAddresses)("%s is allowed, consent or not", (address) => {
    expect(decide(deny, address)).toEqual({ allowed: true });
    expect(decide(ownHost, address)).toEqual({ allowed: true });
  });
});

describe("private addresses", () => {
  test.each(consentable)("%s is refused without consent, reached with it, and by the allow list", (address) => {
    expect(decide(ownHost, address).allowed).toBe(false);
    expect(decide(ownHost, address, { consent: { host: address, port: 80 } }).allowed).toBe(true);
    expect(decide(deny, address, { consent: { host: address, port: 80 } }).allowed).toBe(false);
    expect(decide({ ...deny, allow: [address] }, address).allowed).toBe(true);
  });

  test.each(openableByAllowList)("%s is refused with consent too, and reached by the allow list", (address) => {
    expect(decide(ownHost, address, { consent: { host: address, port: 80 } }).allowed).toBe(false);
    expect(decide({ ...deny, allow: everything }, address).allowed).toBe(true);
  });

  test.each(neverReachable)("%s is refused whatever says yes", (address) => {
    const decision = decide({ ...ownHost, allow: [...everything, address] }, address, {
      consent: { host: address, port: 80 },
    });
    expect(decision).toEqual({ allowed: false, reason: expect.stringContaining(address) });
  });

  test("a tunnel address is opened only together with the address inside it", () => {
    expect(decide({ ...deny, allow: ["64:ff9b::/96"] }, "64:ff9b::a00:1").allowed).toBe(false);
    expect(decide({ ...deny, allow: ["64:ff9b::/96", "10.0.0.0/8"] }, "64:ff9b::a00:1").allowed).toBe(true);
  });
});

describe("consent", () => {
  const consent = consentFor(new URL("http://localhost:9000/docs"));

  test.each([
    ["the same host and port", "localhost", 9000, true],
    ["the host in capitals", "LOCALHOST", 9000, true],
    ["another port", "localhost", 9001, false],
    ["another name of the same address", "other.localhost", 9000, false],
    ["the address itself", "127.0.0.1", 9000, false],
  ])("%s", (_what, host, port, expected) => {
    expect(decide(ownHost, "127.0.0.1", { host, port, consent }).allowed).toBe(expected);
  });

  test.each([
    ["docs.example", false],
    ["intranet.company.com", false],
    ["127.0.0.1.nip.io", false],
    ["localhost.evil.com", false],
    ["xlocalhost.com", false],
    ["intranet", true],
    ["wiki.internal", true],
    ["nas.local", true],
    ["a.b.home.arpa", true],
    ["docs.test", true],
    ["app.localhost", true],
  ])("of the name %s for an inner address: %s, since public names can be pointed anywhere", (host, expected) => {
    const decision = decide(ownHost, "10.1.2.3", { host, consent: { host, port: 80 } });
    expect(decision.allowed).toBe(expected);
    if (!decision.allowed) expect(decision.reason).toContain(`${host} in EGRESS_ALLOW`);
    expect(decide({ ...ownHost, allow: [host] }, "10.1.2.3", { host }).allowed).toBe(true);
  });

  test("takes the port that the scheme means", () => {
    expect(consentFor(new URL("https://h/"))).toEqual({ host: "h", port: 443 });
    expect(consentFor(new URL("http://[::1]/"))).toEqual({ host: "[::1]", port: 80 });
    expect(isConsented("::1", 80, consentFor(new URL("http://[::1]/")))).toBe(true);
  });
});

describe("the product's own parts", () => {
  const options: AddressPolicyOptions = {
    private: "own-host",
    allow: [...everything, "db.internal", "localhost"],
    ownAddresses: [
      { host: "localhost", port: 5432 },
      { host: "10.0.0.5", port: 4222 },
      { host: "db.internal", port: 5433 },
      { host: "8.8.4.4", port: 443 },
    ],
    localAddresses: ["192.168.7.7", "2a00:1::7", "fe80::1%eth0"],
  };

  test.each([
    ["127.0.0.1", "127.0.0.1", 5432],
    ["127.9.9.9", "127.9.9.9", 5432],
    ["localhost", "::1", 5432],
    ["0.0.0.0", "0.0.0.0", 5432],
    ["192.168.7.7", "192.168.7.7", 5432],
    ["public.example", "2a00:1::7", 5432],
    ["10.0.0.5", "10.0.0.5", 4222],
    ["other.example", "10.0.0.5", 4222],
    ["db.internal", "10.0.0.9", 5433],
    ["DB.internal.", "10.0.0.9", 5433],
    ["8.8.4.4", "8.8.4.4", 443],
    ["x", "2002:7f00:1::", 5432],
  ])("%s (%s) port %i is refused with consent and allow list", (host, address, port) => {
    const decision = decide(options, address, { host, port, consent: { host, port } });
    expect(decision).toEqual({ allowed: false, reason: expect.stringContaining("this product itself listens") });
  });

  test.each([
    ["127.0.0.1", "127.0.0.1", 5431],
    ["10.0.0.5", "10.0.0.5", 4223],
    ["10.0.0.6", "10.0.0.6", 4222],
    ["db.internal", "10.0.0.9", 80],
  ])("%s (%s) port %i is not one of them", (host, address, port) => {
    expect(decide(options, address, { host, port }).allowed).toBe(true);
  });
});

describe("input", () => {
  test.each([
    "",
    "localhost",
    "0177.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "1.2.3.4.",
    "[::1]",
    "fe80::1%eth0",
    "1.2.3.4/8",
    " 1.2.3.4",
    "١.2.3.4",
  ])("“%s” is no address and is refused", (address) => {
    expect(decide({ ...ownHost, allow: everything }, address, { host: "h" }).allowed).toBe(false);
  });

  test.each(["10.0.0.0/33", "10.0.0/8", "*.internal", "http://x", "a b", "::/129", "-", "1.2.3", "host:80", "/8"])(
    "the allow list entry “%s” is named as wrong",
    (entry) => {
      expect(() => createAddressPolicy({ ...deny, allow: [entry] })).toThrow(entry);
    },
  );

  test("empty and padded allow list entries are fine", () => {
    expect(decide({ ...deny, allow: ["", " 10.0.0.0/8 ", "[::1]"] }, "10.2.3.4").allowed).toBe(true);
  });

  test("no IPv4 address is decided otherwise inside a tunnel than refused, unless it is public", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const form of [`::ffff:${hex}`, `::${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`])
          expect(decide(ownHost, form, { consent: { host: form, port: 80 } }).allowed).toBe(form === "::0:1");
      }),
    );
  });
});
