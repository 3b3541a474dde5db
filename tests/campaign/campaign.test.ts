import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

/** A short campaign with few faults, a small site and short leases. The whole campaign is run by hand (`npm run campaign`). */
const faults = ["kill-fetcher", "kill-everything", "wipe-nats-down", "crash-postgres-backend", "two-of-everything"];
const withinMs = 600_000;
/** How long before the test's timeout the campaign is interrupted, and later killed, so that its output so far can be reported. */
const stopBeforeMs = { SIGINT: 60_000, SIGKILL: 20_000 };

async function campaign(named: readonly string[]): Promise<{ code: number | null; said: string }> {
  const results = await mkdtemp(join(tmpdir(), "web-tester-campaign-results-"));
  const options = ["--seed", "short", "--faults", named.join(), "--rounds", "1", "--lanes", "1", "--pages", "150"];
  const program = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [program, ...options, "--results", results], {
    env: { ...process.env, NODE_OPTIONS: undefined, LEASE_MS: "6000", RECONCILE_MS: "1500" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const limits = Object.entries(stopBeforeMs).map(([name, beforeMs]) =>
    setTimeout(() => child.kill(name as NodeJS.Signals), withinMs - beforeMs),
  );
  const [code] = (await once(child, "close")) as [number | null];
  for (const limit of limits) clearTimeout(limit);
  await rm(results, { recursive: true, force: true });
  return { code, said };
}

test(
  "nothing is lost, doubled or stuck in a short campaign",
  async () => {
    const { code, said } = await campaign(faults);
    // on failure the output is part of the difference, as it tells what was found and where
    expect({ code, said: code === 0 ? "" : said }).toEqual({ code: 0, said: "" });
    for (const fault of faults) expect(said).toMatch(new RegExp(`^${fault} +1 +0 +0 +0 `, "m"));
  },
  withinMs,
);

test(
  "a campaign sees what is lost and what is doubled",
  async () => {
    const { code, said } = await campaign(["sabotage-lost", "sabotage-doubled"]);
    expect(code).toBe(1);
    expect(said).toMatch(/^sabotage-lost +1 +1 +0 +0 /m);
    expect(said).toMatch(/^sabotage-doubled +1 +0 +1 +0 /m);
  },
  withinMs,
);
