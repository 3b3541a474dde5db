import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { configVariables } from "@web-tester/platform/config/config";
import { parse } from "yaml";
import { z } from "zod";
import { nodeFlags } from "../../infra/local/stack/services.mjs";

/** Checks the text of the compose file; `infra/docker/verify` runs it where there is a container engine. */
const root = join(import.meta.dirname, "../..");
const text = readFileSync(join(root, "docker-compose.yml"), "utf8");
const example = readFileSync(join(root, ".env.example"), "utf8");
const service = z.looseObject({
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  networks: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
});
const { services, networks } = z
  .object({ services: z.record(z.string(), service), networks: z.record(z.string(), z.looseObject({})) })
  .parse(parse(text, { merge: true }));
const fetcherProfile = "infra/docker/fetcher-seccomp.json";
const ours = ["gateway", "crawler", "fetcher", "differ", "migrate"];
const named = (name: string) => services[name] ?? service.parse({ networks: [] });

/** The settings that `.env` does not change, each with what sets it instead. */
const settled: Record<string, string> = {
  MODE: "the images",
  HOST: "the images",
  DATA_DIR: "the images: nothing is kept in a container",
  WEB_DIR: "the image of the gateway",
  CHROMIUM_PATH: "the image of the fetcher",
  DATABASE_URL: "the compose file",
  NATS_URL: "the compose file",
  NATS_REPLICAS: "one server",
  HEALTH_PORT: "the images and the compose file",
  OWN_PORTS: "the parts are on networks of their own, with private addresses",
  SAMPLE_PORT: "the sample site is a part of npm start",
  LEASE_MS: "for tests",
  RECONCILE_MS: "for tests",
};

describe("docker-compose.yml", () => {
  test("hands on every setting that an operator may change", () => {
    const handed = new Set(ours.flatMap((name) => Object.keys(named(name).environment)));
    const missing = configVariables.map(({ name }) => name).filter((name) => !handed.has(name) && !(name in settled));
    expect(missing.filter((name) => name !== "PORT")).toEqual([]);
    // only the published port can be chosen; the port inside the container is fixed
    expect(named("gateway").ports).toEqual(["${BIND_ADDRESS:-127.0.0.1}:${PORT:-8080}:8080"]);
  });

  test("every variable of it is in .env.example, with the same default", () => {
    const asked = [...text.matchAll(/\$\{([A-Z][A-Z0-9_]*):-([^}]*)\}/g)];
    expect(asked.length).toBeGreaterThan(30);
    for (const [, name = "", initial = ""] of asked) {
      const said = new RegExp(`^# ${name}=(.*)$`, "m").exec(example)?.[1];
      // the example shows another object store and leaves passwords empty, so these have no default to compare
      const told = said === "" || name === "STORAGE_URL" ? initial : said;
      expect([name, told]).toEqual([name, initial]);
    }
  });

  test.each(ours)("%s may write nothing but /tmp and has no rights", (name) => {
    expect(named(name)).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true", ...(name === "fetcher" ? [`seccomp:./${fetcherProfile}`] : [])],
    });
  });

  test("the fetcher's profile lets Chromium build its sandbox and keeps the rest that an engine's own keeps", () => {
    const profile = readFileSync(join(root, fetcherProfile), "utf8");
    const { defaultAction, syscalls } = z
      .object({
        defaultAction: z.string(),
        syscalls: z.array(z.object({ names: z.array(z.string()), action: z.string() })),
      })
      .parse(JSON.parse(profile));
    const kept = syscalls.filter(({ action }) => action === "SCMP_ACT_ERRNO").flatMap(({ names }) => names);
    expect(defaultAction).toBe("SCMP_ACT_ALLOW");
    expect(kept).toEqual(
      expect.arrayContaining(["bpf", "mount", "kexec_load", "init_module", "keyctl", "perf_event_open"]),
    );
    for (const needed of ["clone", "clone3", "unshare", "chroot", "seccomp"]) expect(kept).not.toContain(needed);
  });

  test("publishes the gateway alone, and lets only gateway, crawler and fetcher out of the inner network", () => {
    expect(networks["inside"]).toEqual({ internal: true });
    for (const [name, { ports, networks: joined }] of Object.entries(services)) {
      expect([name, ports.length]).toEqual([name, name === "gateway" ? 1 : 0]);
      const more = name === "gateway" ? ["front"] : ["crawler", "fetcher"].includes(name) ? ["outward"] : [];
      expect([name, joined]).toEqual([name, ["inside", ...more]]);
    }
  });

  test("the services get longer to end than they take", () => {
    // they take up to 25 s, see the lifecycle in packages/platform
    for (const name of ours.filter((each) => each !== "migrate"))
      expect([name, named(name).stop_grace_period]).toEqual([name, "30s"]);
  });
});

test.each(["gateway", "crawler", "fetcher", "differ"] as const)(
  "the image of the %s starts it with the flags that npm start gives it",
  (name) => {
    const entry = readFileSync(join(root, "infra", "docker", "Dockerfile"), "utf8")
      .split("\n")
      .find((line) => line.startsWith("ENTRYPOINT") && line.includes(`services/${name}/dist/bundle/main.js`));
    const words: unknown = JSON.parse(entry?.slice("ENTRYPOINT".length) ?? "[]");
    expect(words).toEqual(expect.arrayContaining(["node", `services/${name}/dist/bundle/main.js`]));
    expect(Array.isArray(words) && words.filter((word) => `${word}`.startsWith("--") && word !== "--")).toEqual(
      nodeFlags(name),
    );
  },
);
