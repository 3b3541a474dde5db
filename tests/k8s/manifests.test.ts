import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1";
import { Deployment, StatefulSet } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { CronJob, Job } from "kubernetes-models/batch/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Namespace, PersistentVolumeClaim, Service, ServiceAccount } from "kubernetes-models/v1";
import { parseAllDocuments } from "yaml";
import { buildKustomization, type Manifest } from "../support/kustomize.js";
import {
  folderOf,
  labelsOf,
  type Peer,
  podOf,
  type Policy,
  policyOf,
  root,
  selects,
  services,
} from "./manifest-parts.js";

const overlays = ["local", "production"] as const;

/** Every kind that the manifests use, with its schema and the module of its type. */
const kinds = {
  Deployment: [Deployment, "kubernetes-models/apps/v1"],
  StatefulSet: [StatefulSet, "kubernetes-models/apps/v1"],
  HorizontalPodAutoscaler: [HorizontalPodAutoscaler, "kubernetes-models/autoscaling/v2"],
  Job: [Job, "kubernetes-models/batch/v1"],
  CronJob: [CronJob, "kubernetes-models/batch/v1"],
  Ingress: [Ingress, "kubernetes-models/networking.k8s.io/v1"],
  NetworkPolicy: [NetworkPolicy, "kubernetes-models/networking.k8s.io/v1"],
  PodDisruptionBudget: [PodDisruptionBudget, "kubernetes-models/policy/v1"],
  ConfigMap: [ConfigMap, "kubernetes-models/v1"],
  Namespace: [Namespace, "kubernetes-models/v1"],
  PersistentVolumeClaim: [PersistentVolumeClaim, "kubernetes-models/v1"],
  Service: [Service, "kubernetes-models/v1"],
  ServiceAccount: [ServiceAccount, "kubernetes-models/v1"],
  ScaledObject: [ScaledObject, "@kubernetes-models/keda/keda.sh/v1alpha1"],
} as const;
type Kind = keyof typeof kinds;

function kindOf({ kind }: Manifest): Kind {
  const known = (Object.keys(kinds) as Kind[]).find((name) => name === kind);
  if (known === undefined) throw new Error(`${kind} has no schema here`);
  return known;
}

/** Says how an object does not fit its schema; null if it fits. */
function schemaFault(object: Manifest): string | null {
  const [Model] = kinds[kindOf(object)];
  if (object.apiVersion !== Model.apiVersion) return `${object.kind} is of ${Model.apiVersion}`;
  try {
    // the cast claims nothing: validate() is what decides whether the object fits
    new Model(object as never).validate();
    return null;
  } catch (error) {
    return `${object.kind} ${object.metadata.name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Finds unknown fields with the compiler: the schemas let them pass, the types made from them do not. @returns the compiler's errors */
function unknownFields(objects: readonly Manifest[]): string {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "manifests-"));
  try {
    const lines = objects.map((object, index) => {
      const kind = kindOf(object);
      return `const o${index}: import("${kinds[kind][1]}").I${kind} = ${JSON.stringify(object, null, 1)};`;
    });
    const used = objects.map((_, index) => `o${index}`).join(", ");
    writeFileSync(join(folder, "objects.ts"), `${lines.join("\n")}\nexport const all = [${used}];\n`);
    const compiler = join(
      dirname(createRequire(import.meta.url).resolve("@typescript/native/package.json")),
      "bin/tsc",
    );
    const options = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "",
    ];
    const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, join(folder, "objects.ts")], {
      encoding: "utf8",
      timeout: 120_000,
    });
    return status === 0 ? "" : stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.each(overlays)("the overlay %s", (overlay) => {
  const objects = buildKustomization(folderOf(overlay));
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const workloads = objects.filter(({ kind }) => ["Deployment", "StatefulSet", "Job", "CronJob"].includes(kind));
  const deployment = (name: string) => {
    const found = ofKind("Deployment").find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`There is no Deployment ${name}`);
    return found;
  };

  test("is what kubectl makes of it, where that is installed", () => {
    let output: string;
    try {
      output = execFileSync("kubectl", ["kustomize", folderOf(overlay)], { encoding: "utf8", stdio: "pipe" });
    } catch {
      // without kubectl, the other tests still check the objects that it would make
      output = "";
    }
    const theirs = parseAllDocuments(output).map((document) => document.toJS() as Manifest);
    const sorted = (list: readonly Manifest[]) =>
      list.toSorted((a, b) => `${a.kind}/${a.metadata.name}`.localeCompare(`${b.kind}/${b.metadata.name}`));
    expect(sorted(output === "" ? objects : theirs)).toEqual(sorted(objects));
  });

  test("fits the schemas of Kubernetes and KEDA, without a field that they do not know", () => {
    expect(objects.map(schemaFault).filter((fault) => fault !== null)).toEqual([]);
    expect(unknownFields(objects)).toBe("");
  });

  test("is in one namespace, and names each object once", () => {
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { kind, metadata } of objects)
      expect([metadata.name, metadata.namespace]).toEqual([
        metadata.name,
        kind === "Namespace" ? undefined : "web-tester",
      ]);
  });

  test("has a Deployment for each service and a Job for the schema", () => {
    expect(ofKind("Deployment").map(({ metadata }) => metadata.name)).toEqual(services);
    expect(ofKind("Job").map(({ metadata }) => metadata.name)).toEqual(["migrate"]);
  });

  test.each(workloads.map((object) => [object.metadata.name, object] as const))(
    "%s runs without rights, within limits",
    (_, object) => {
      const pod = podOf(object);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      });
      expect(pod.hostNetwork).toBeUndefined();
      expect(pod.volumes?.filter((volume) => "hostPath" in volume)).toEqual([]);
      expect([...pod.containers, ...(pod.initContainers ?? [])]).not.toHaveLength(0);
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(container.resources).toEqual({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { cpu: expect.any(String), memory: expect.any(String) },
        });
        expect(container.image).toMatch(/:[\w.-]+$/);
      }
      const account = ofKind("ServiceAccount").find(({ metadata }) => metadata.name === pod.serviceAccountName);
      expect(account).toMatchObject({ automountServiceAccountToken: false });
    },
  );

  test("gives nobody a right in the cluster", () => {
    expect(objects.filter(({ kind }) => /Role/.test(kind))).toEqual([]);
  });

  test("keeps secrets in the Secret alone", () => {
    expect(ofKind("Secret")).toEqual([]);
    for (const object of workloads)
      for (const { env = [] } of podOf(object).containers)
        for (const { name, value, valueFrom } of env)
          if (/PASSWORD|SECRET|TOKEN|KEY|DATABASE_URL|NATS_URL/.test(name))
            expect([name, value, valueFrom?.secretKeyRef?.name]).toEqual([name, undefined, "web-tester"]);
    for (const object of ofKind("ConfigMap")) expect(JSON.stringify(object)).not.toMatch(/:\/\/[^/"]*:[^/"]*@/);
  });

  test.each(services)("%s is asked whether it lives and whether it is ready, and gets time to end", (name) => {
    const pod = podOf(deployment(name));
    const [container] = pod.containers;
    const port = name === "gateway" ? "http" : "health";
    expect(container?.startupProbe?.httpGet).toEqual({ path: "/healthz", port });
    expect(container?.readinessProbe?.httpGet).toEqual({ path: "/readyz", port });
    expect(container?.livenessProbe?.httpGet).toEqual({ path: "/healthz", port });
    expect(container?.ports).toContainEqual(expect.objectContaining({ name: port }));
    const waits = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
    expect(waits > 0).toBe(name === "gateway");
    // a service that shuts down ends itself after 25 s at the latest
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(waits + 30);
  });

  test.each(services)("%s is taken down one at a time", (name) => {
    const budget = ofKind("PodDisruptionBudget").find(({ metadata }) => metadata.name === name);
    expect(budget).toMatchObject({
      spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(deployment(name)) } },
    });
  });

  describe("network policies", () => {
    const policies = ofKind("NetworkPolicy").map(policyOf);
    const about = (name: string) => policies.filter((policy) => selects(policy, labelsOf(deployment(name))));
    const takers = (policy: Policy) => policy.ingress ?? [];
    const isWide = ({ ipBlock }: Peer) => ipBlock?.cidr === "0.0.0.0/0" || ipBlock?.cidr === "2000::/3";

    test("deny by default", () => {
      expect(policies).toContainEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
    });

    test.each(services)("only the gateway takes traffic from the ingress: %s", (name) => {
      const from = about(name)
        .flatMap(takers)
        .flatMap((rule) => rule.from ?? [{}]);
      const spaces = from.map(
        ({ namespaceSelector }) => namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"],
      );
      const operators = overlay === "production" ? ["monitoring"] : [];
      const gateway = overlay === "production" ? ["ingress-nginx", "keda"] : ["ingress-nginx"];
      expect(new Set(spaces)).toEqual(new Set([...(name === "gateway" ? gateway : []), ...operators]));
    });

    test.each([...services, "migrate"])(
      "only crawler and fetcher reach out, and not into private networks: %s",
      (name) => {
        const labels = { "app.kubernetes.io/name": "web-tester", "app.kubernetes.io/component": name };
        const wide = policies
          .filter((policy) => selects(policy, labels))
          .flatMap((policy) => policy.egress ?? [])
          .flatMap((rule) => rule.to ?? [{ ipBlock: { cidr: "0.0.0.0/0" } }])
          .filter(isWide);
        expect(wide.length > 0).toBe(name === "crawler" || name === "fetcher");
        for (const { ipBlock } of wide)
          if (ipBlock?.cidr === "0.0.0.0/0")
            expect(ipBlock.except).toEqual(
              expect.arrayContaining([
                "10.0.0.0/8",
                "172.16.0.0/12",
                "192.168.0.0/16",
                "169.254.0.0/16",
                "127.0.0.0/8",
              ]),
            );
      },
    );
  });

  test("has an Ingress to the gateway on which websockets stay open", () => {
    const [ingress] = ofKind("Ingress");
    expect(ingress).toMatchObject({
      metadata: { annotations: { "nginx.ingress.kubernetes.io/proxy-read-timeout": "3600" } },
      spec: { rules: [{ http: { paths: [{ path: "/", backend: { service: { name: "gateway" } } }] } }] },
    });
  });

  test("numbers for operators are on a port that the Ingress does not reach", () => {
    const [container] = podOf(deployment("gateway")).containers;
    // with HEALTH_PORT set, the gateway's own port has no /metrics (tests/gateway/metrics.test.ts)
    expect(container?.env).toContainEqual({ name: "HEALTH_PORT", value: "9090" });
    const [ingress] = ofKind("Ingress");
    expect([...JSON.stringify(ingress).matchAll(/"port":(\{[^}]*\})/g)].map((match) => match[1])).toEqual([
      '{"name":"http"}',
    ]);
    const open = ofKind("NetworkPolicy")
      .map(policyOf)
      .filter((policy) => selects(policy, labelsOf(deployment("gateway"))))
      .flatMap((policy) => policy.ingress ?? [])
      .map((rule) => [
        rule.from?.[0]?.namespaceSelector?.matchLabels?.["kubernetes.io/metadata.name"],
        (rule as { ports?: { port: number }[] }).ports?.map(({ port }) => port),
      ]);
    expect(open).toContainEqual(["ingress-nginx", [8080]]);
    for (const [space, ports] of open) if (space !== "ingress-nginx") expect([space, ports]).toEqual([space, [9090]]);
    for (const [address] of JSON.stringify(objects).matchAll(/http:[^"]*\/metrics/g))
      expect(address).toBe("http://gateway.web-tester.svc:9090/metrics");
  });

  test("scales fetchers and crawlers by one autoscaler each, and sets no number of theirs", () => {
    const scalers = objects.filter(({ kind }) => kind === "ScaledObject" || kind === "HorizontalPodAutoscaler");
    expect(scalers.map(({ kind, metadata }) => [kind, metadata.name])).toEqual(
      ["fetcher", "crawler"].map((name) => [
        overlay === "production" ? "ScaledObject" : "HorizontalPodAutoscaler",
        name,
      ]),
    );
    for (const name of ["fetcher", "crawler"])
      expect((deployment(name) as unknown as { spec: { replicas?: number } }).spec.replicas).toBeUndefined();
  });
});

test("what breaks a rule is seen", () => {
  const [any] = buildKustomization(folderOf("local")).filter(({ kind }) => kind === "Deployment");
  if (any === undefined) throw new Error("There is no Deployment");
  expect(schemaFault(any)).toBeNull();
  expect(schemaFault({ ...any, spec: { ...podOf(any), replicas: "two" } })).toContain("Deployment gateway");
  expect(unknownFields([{ ...any, spce: {} }])).toContain("spce");
});

test("the autoscaler reads numbers that there are", () => {
  const scaled = buildKustomization(folderOf("production")).filter(({ kind }) => kind === "ScaledObject");
  const places = [...JSON.stringify(scaled).matchAll(/"valueLocation":"([^{]+)\{lane=\\"([^"\\]+)\\"\}"/g)];
  expect(places.map(([, name, lane]) => [name, lane])).toEqual([
    ["web_tester_queue_workable", "fetch-bulk"],
    ["web_tester_queue_workable", "fetch-now"],
    ["web_tester_queue_workable", "crawl"],
  ]);
});
