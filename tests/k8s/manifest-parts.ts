import { join, resolve } from "node:path";
import type { Manifest } from "../support/kustomize.js";

export const root = resolve(import.meta.dirname, "../..");
export const folderOf = (overlay: string) => join(root, "infra/k8s/overlays", overlay);
export const services = ["gateway", "crawler", "fetcher", "differ"];

/** The parts of a container that the tests look at. */
interface Container {
  name: string;
  image: string;
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string } } }[];
  ports?: { name: string; containerPort: number }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: Record<string, unknown>;
  startupProbe?: { httpGet?: { path: string; port: string } };
  readinessProbe?: { httpGet?: { path: string; port: string } };
  livenessProbe?: { httpGet?: { path: string; port: string } };
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
}
export interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: Record<string, unknown>;
  containers: Container[];
  initContainers?: Container[];
  hostNetwork?: boolean;
  volumes?: Record<string, unknown>[];
}
export interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  podSelector?: { matchLabels?: Record<string, string> };
  namespaceSelector?: { matchLabels?: Record<string, string> };
}
export interface Policy {
  podSelector: {
    matchLabels?: Record<string, string>;
    matchExpressions?: { key: string; operator: string; values: string[] }[];
  };
  policyTypes: string[];
  ingress?: { from?: Peer[] }[];
  egress?: { to?: Peer[]; ports?: { port: number }[] }[];
}

interface Template {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}
/** Returns the pod template of an object; of a CronJob, that of its jobs. @throws for an object that starts no pods */
function templateOf(object: Manifest): Template {
  const { spec } = object as unknown as {
    spec: { template?: Template; jobTemplate?: { spec: { template: Template } } };
  };
  const template = spec.template ?? spec.jobTemplate?.spec.template;
  if (template === undefined) throw new Error(`${object.kind} ${object.metadata.name} starts no pods`);
  return template;
}
export const podOf = (object: Manifest): PodSpec => templateOf(object).spec;
export const labelsOf = (object: Manifest): Record<string, string> => templateOf(object).metadata.labels;
export const policyOf = (object: Manifest): Policy => (object as unknown as { spec: Policy }).spec;

/** Tells whether a policy applies to pods with these labels. */
export function selects(
  { podSelector: { matchLabels = {}, matchExpressions = [] } }: Policy,
  labels: Record<string, string>,
) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => operator === "In" && values.includes(labels[key] ?? ""))
  );
}
