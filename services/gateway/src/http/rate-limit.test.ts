import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { clientNames, type Origin } from "./client-address.js";
import { createRateLimit } from "./rate-limit.js";

const from = (remoteAddress: string | undefined, forwarded?: string): Origin => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
});

const proxies = ["10.0.0.0/8", "127.0.0.1", "fd00::/8"];
test.each<[what: string, trusted: string[], origin: Origin, name: string | null]>([
  ["a client", [], from("203.0.113.9"), "203.0.113.9"],
  ["a client in IPv6 notation", [], from("::ffff:203.0.113.9"), "203.0.113.9"],
  ["one network of IPv6", [], from("2001:db8:1:2:3:4:5:6"), "20010db800010002"],
  ["what a client claims", [], from("203.0.113.9", "198.51.100.1"), "203.0.113.9"],
  ["this machine", [], from("127.0.0.1"), null],
  ["this machine by IPv6", [], from("::1"), null],
  ["what this machine claims", [], from("127.0.0.1", "203.0.113.9"), null],
  ["behind a proxy", proxies, from("10.1.2.3", "203.0.113.9"), "203.0.113.9"],
  ["behind a proxy, claiming", proxies, from("10.1.2.3", "127.0.0.1, 1.2.3.4, 203.0.113.9"), "203.0.113.9"],
  ["behind two proxies", proxies, from("10.1.2.3", "1.2.3.4, 203.0.113.9, 10.9.9.9"), "203.0.113.9"],
  ["behind a proxy of IPv6", proxies, from("fd00::1", "2001:db8::1"), "20010db800000000"],
  ["behind a proxy on this machine", proxies, from("127.0.0.1", "203.0.113.9"), "203.0.113.9"],
  ["a loopback address that a proxy was told", proxies, from("10.1.2.3", "127.0.0.1"), "127.0.0.1"],
  ["the proxy itself", proxies, from("10.1.2.3"), "10.1.2.3"],
  ["nonsense", proxies, from("10.1.2.3", "unknown"), "10.1.2.3"],
  ["nobody any more", [], from(undefined), "unknown"],
])("a client is told by its address: %s", (_what, trusted, origin, name) => {
  expect(clientNames(trusted)(origin)).toBe(name);
});

test("never more than the burst and what a minute gives, whatever the pauses; and all of it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 300 }),
      (perMinute, pauses) => {
        let now = 0;
        const rate = createRateLimit({ perMinute, trustedProxies: [], nowMs: () => now });
        let allowed = 0;
        for (const pause of pauses) {
          now += pause;
          const wait = rate.take(from("203.0.113.9"));
          if (wait === null) allowed += 1;
          else {
            // waiting as long as it says is enough, and at most a second too long
            const later = createRateLimit({ perMinute, trustedProxies: [], nowMs: () => now });
            expect(wait).toBeGreaterThanOrEqual(1);
            expect(wait).toBeLessThanOrEqual(Math.ceil(60 / perMinute) + 1);
            expect(later.take(from("203.0.113.9"))).toBeNull();
          }
        }
        expect(allowed).toBeLessThanOrEqual(perMinute + (now / 60_000) * perMinute + 1e-6);
        expect(allowed).toBeGreaterThanOrEqual(Math.min(pauses.length, perMinute));
      },
    ),
  );
});

test("the wait that a client is told is enough", () => {
  let now = 0;
  const rate = createRateLimit({ perMinute: 7, trustedProxies: [], nowMs: () => now });
  const take = () => rate.take(from("203.0.113.9"));
  for (let count = 0; count < 7; count++) expect(take()).toBeNull();
  for (let count = 0; count < 50; count++) {
    const wait = take();
    expect(wait).not.toBeNull();
    now += (wait ?? 0) * 1_000;
    expect(take()).toBeNull();
  }
});

test("one client does not use up what is another's; 0 is no limit", () => {
  const rate = createRateLimit({ perMinute: 1, trustedProxies: [], nowMs: () => 0 });
  expect(rate.take(from("203.0.113.9"))).toBeNull();
  expect(rate.take(from("203.0.113.9"))).toBe(60);
  expect(rate.take(from("203.0.113.10"))).toBeNull();
  const none = createRateLimit({ perMinute: 0, trustedProxies: [], nowMs: () => 0 });
  for (let count = 0; count < 1_000; count++) expect(none.take(from("203.0.113.9"))).toBeNull();
});

test("wrong secrets are answered once a second, those of other clients as before; other requests of who shows one are not dearer", () => {
  let now = 0;
  const rate = createRateLimit({ perMinute: 6_000, trustedProxies: [], nowMs: () => now });
  const guess = () => {
    const wait = rate.take(from("203.0.113.9"));
    if (wait === null) rate.refuse(from("203.0.113.9"));
    return wait === null;
  };
  const many = (count: number) => Array.from({ length: count }, guess).filter(Boolean).length;
  expect(many(1_000)).toBe(60);
  now += 60_000;
  expect(many(1_000)).toBe(60);
  expect(rate.take(from("203.0.113.10"))).toBeNull();
  // control: without a refusal, all of the minute's requests
  now += 60_000;
  const asked = Array.from({ length: 7_000 }, () => rate.take(from("203.0.113.9"))).filter((wait) => wait === null);
  expect(asked).toHaveLength(6_000);
  // with a limit of less than one a second, a refusal costs nothing beside the request
  const strict = createRateLimit({ perMinute: 30, trustedProxies: [], nowMs: () => now });
  for (let count = 0; count < 30; count++) {
    expect(strict.take(from("203.0.113.9"))).toBeNull();
    strict.refuse(from("203.0.113.9"));
  }
  expect(strict.take(from("203.0.113.9"))).not.toBeNull();
});
