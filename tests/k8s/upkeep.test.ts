import { expect, test } from "@jest/globals";
import { buildKustomization } from "../support/kustomize.js";
import { folderOf, labelsOf, podOf, policyOf, selects, services } from "./manifest-parts.js";

/** What an installation needs that runs for years and grows: backups, and enough database connections. */
test("a backup is taken every night, and restored when told to, by pods that reach database and store alone", () => {
  const objects = buildKustomization(folderOf("production"));
  const named = (kind: string, name: string) => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
    return found;
  };
  const [migrate] = podOf(named("Job", "migrate")).containers;
  const policies = objects.filter(({ kind }) => kind === "NetworkPolicy").map(policyOf);
  for (const [name, suspend] of [
    ["backup", undefined],
    ["restore", true],
  ] as const) {
    const job = named("CronJob", name);
    expect(job).toMatchObject({ spec: { concurrencyPolicy: "Forbid" } });
    expect((job as unknown as { spec: { suspend?: boolean } }).spec.suspend).toBe(suspend);
    const [container] = podOf(job).containers;
    expect(container).toMatchObject({
      image: migrate?.image,
      command: ["node", "services/backup/dist/main.js", name, "/backup"],
    });
    // with SECRET_KEY it notices that a key is wrong
    expect(container?.env?.map((each) => each.name)).toEqual([
      ...(migrate?.env ?? []).map((each) => each.name),
      "SECRET_KEY",
    ]);
    expect(podOf(job).volumes).toContainEqual({ name: "backup", persistentVolumeClaim: { claimName: "backup" } });
    expect(named("PersistentVolumeClaim", "backup")).toBeDefined();
    const ports = policies
      .filter((policy) => selects(policy, labelsOf(job)))
      .flatMap((policy) => policy.egress ?? [])
      .flatMap((rule) => rule.ports ?? [])
      .map(({ port }) => port);
    expect(new Set(ports)).toEqual(new Set([53, 5432, 4222, 443]));
  }
});

test("the database in the cluster has connections for as many processes as the autoscalers start", () => {
  const objects = buildKustomization(folderOf("local")) as unknown as {
    kind: string;
    metadata: { name: string };
    spec: { replicas?: number; maxReplicas?: number; template?: { spec: { containers: { args?: string[] }[] } } };
    data: Record<string, string>;
  }[];
  const named = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);
  const replicas = services.map(
    (name) =>
      named("HorizontalPodAutoscaler", name)?.spec.maxReplicas ?? named("Deployment", name)?.spec.replicas ?? NaN,
  );
  const pool = Number(named("ConfigMap", "web-tester")?.data["DATABASE_POOL"]);
  const [container] = named("StatefulSet", "postgres")?.spec.template?.spec.containers ?? [];
  const [, allowed] = /max_connections=(\d+)/.exec(container?.args?.join(" ") ?? "") ?? [];
  // during a rolling update there is one more pod of each service; people, the migration and PostgreSQL itself need some connections, too
  const processes = replicas.reduce((sum, count) => sum + count + 1, 0);
  expect(Number(allowed)).toBeGreaterThanOrEqual(processes * pool + 20);
});
