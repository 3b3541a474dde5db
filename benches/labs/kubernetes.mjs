// @ts-check
/**
 * Applies the manifests to a real kube-apiserver with KEDA's definitions: admission, server-side dry-run, and applying
 * twice. Needs kube-apiserver, etcd and kubectl (KUBE_BIN names their folder).
 */
import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const programs = /** @type {const} */ (["etcd", "kube-apiserver", "kubectl"]);
const definitions = process.env["KEDA_CRDS"];
const folders =
  process.env["KUBE_BIN"] === undefined ? (process.env["PATH"] ?? "").split(delimiter) : [process.env["KUBE_BIN"]];
const found = Object.fromEntries(await Promise.all(programs.map(async (name) => [name, await find(name)])));
const missing = programs.filter((name) => found[name] === undefined);
if (missing.length > 0 || definitions === undefined) {
  console.error(
    `${missing.length > 0 ? `There is no ${missing.join(" and no ")} here` : "KEDA_CRDS names no folder"}: take releases of etcd and Kubernetes, or build them (a Go module that requires k8s.io/kubernetes, with each k8s.io/… that its go.mod replaces by staging/ replaced by the release of the same number, v0.34.4 for v1.34.4, and one that requires go.etcd.io/etcd/server/v3; then go build k8s.io/kubernetes/cmd/kube-apiserver and …/cmd/kubectl, and go build go.etcd.io/etcd/server/v3 as etcd), name their folder by KUBE_BIN, and by KEDA_CRDS the folder config/crd/bases of KEDA's sources (Go module github.com/kedacore/keda/v2), then begin again.`,
  );
  process.exit(1);
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const overlays = /** @type {const} */ (["local", "production"]);
const signal = benchSignal(10 * 60_000);
const report = new Report(console.log);
const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
try {
  // each on its own server: a Job of one overlay cannot become that of the other
  for (const overlay of overlays) {
    const place = join(folder, overlay);
    const stop = await startControlPlane(place);
    try {
      await defineKeda(definitions);
      const objects = await tryOverlay(overlay);
      if (overlay === "production") await tryWrongOnes(objects);
    } finally {
      await stop();
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.passed ? 0 : 1;

/** @param {string} from folder with its definitions */
async function defineKeda(from) {
  for (const name of (await readdir(from)).filter((each) => each.startsWith("keda.sh_")))
    await kubectl(["apply", "--server-side", "-f", join(from, name)]);
  const { out, error } = await kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  report.holds(
    "KEDA's definitions are established",
    lines(out) >= 4 && error === "",
    out.trim().split("\n").join(", ") + error,
  );
}

/**
 * Checks that all objects of an overlay are accepted, that applying them again changes nothing, and that their pods are admitted.
 * @param {string} overlay
 * @returns {Promise<any[]>} its objects
 */
async function tryOverlay(overlay) {
  const from = join(root, "infra", "k8s", "overlays", overlay);
  /** @type {{ items: any[] }} */
  const { items: objects } = JSON.parse((await kubectl(["apply", "--dry-run=client", "-o", "json", "-k", from])).out);
  report.begin(`overlay ${overlay}, ${objects.length} objects`);
  const namespace = objects.find(({ kind }) => kind === "Namespace");
  delete namespace.metadata.annotations;
  await kubectl(["apply", "-f", "-"], JSON.stringify(namespace));
  const tried = await kubectl(["apply", "--dry-run=server", "--validate=strict", "-k", from]);
  report.equal("objects taken by a dry run", objects.length, lines(tried.out));
  report.equal("warnings of it", "", tried.error.trim());
  const applied = await kubectl(["apply", "--validate=strict", "-k", from]);
  report.equal("objects applied", objects.length, lines(applied.out));
  report.equal("warnings", "", applied.error.trim());
  // kubectl reports some of them as "configured" each time, so the versions at the server count
  const before = await versionsOf(from);
  await kubectl(["apply", "-k", from]);
  const changed = [...(await versionsOf(from))].filter(([name, version]) => before.get(name) !== version);
  report.equal("of them changed when they are applied once more", "", changed.map(([name]) => name).join(", "));
  const difference = await kubectl(["diff", "-k", from]);
  report.equal("difference between what is there and what is written", "", difference.out.trim());
  const pods = objects.flatMap(podOf);
  const warned = [];
  for (const pod of pods) {
    const answer = await kubectl(["create", "--dry-run=server", "--validate=strict", "-f", "-"], JSON.stringify(pod));
    if (answer.error.trim() !== "") warned.push(`${pod.metadata.name}: ${answer.error.trim()}`);
  }
  report.equal(
    `pods refused or warned of under the namespace's security level, of ${pods.length}`,
    "",
    warned.join("; "),
  );
  const secret = await create(overlay);
  report.holds("create-secret makes the Secret", secret.includes("The API token"), secret.trim());
  const kept = await create(overlay);
  report.holds("and leaves it as it is the second time", kept.includes("left as it"), kept.trim());
  return objects;
}

/** @param {string} from an overlay @returns {Promise<Map<string, string>>} the server's version of each object */
async function versionsOf(from) {
  /** @type {{ items: any[] }} */
  const { items } = JSON.parse((await kubectl(["get", "-k", from, "-o", "json"])).out);
  return new Map(items.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.resourceVersion]));
}

/** Checks that the server refuses wrong objects, which shows that it validates at all. @param {any[]} objects */
async function tryWrongOnes(objects) {
  report.begin("wrong ones are refused");
  const fetcher = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "fetcher");
  const scaled = objects.find(({ kind }) => kind === "ScaledObject");
  const asked = (/** @type {unknown} */ object) =>
    kubectl(["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"], JSON.stringify(object));
  const misspelt = structuredClone(fetcher);
  misspelt.spec.template.spec.contaners = [];
  report.holds(
    "a field that nobody knows",
    /unknown field|field not declared/.test((await asked(misspelt)).error),
    "said",
  );
  const endless = structuredClone(scaled);
  endless.spec.maxReplicaCount = "many";
  report.holds("a ScaledObject with words for a number", /maxReplicaCount/.test((await asked(endless)).error), "said");
  const [pod] = podOf(fetcher);
  pod.spec.containers[0].securityContext.allowPrivilegeEscalation = true;
  const refused = await kubectl(["create", "--dry-run=server", "-f", "-"], JSON.stringify(pod));
  report.holds("a pod that may become more than it is", /violates PodSecurity "restricted/.test(refused.error), "said");
}

/** Returns the pod that a workload creates. @param {any} object @returns {any[]} */
function podOf(object) {
  const template =
    object.kind === "CronJob"
      ? object.spec.jobTemplate.spec.template
      : /^(Deployment|StatefulSet|Job)$/.test(object.kind)
        ? object.spec.template
        : undefined;
  if (template === undefined) return [];
  const { name, namespace } = object.metadata;
  /** @type {any} */
  const pod = structuredClone({ apiVersion: "v1", kind: "Pod", ...template });
  Object.assign(pod.metadata, { name, namespace });
  // as the controller of a StatefulSet does
  for (const claim of object.spec.volumeClaimTemplates ?? []) {
    const persistentVolumeClaim = { claimName: `${claim.metadata.name}-${name}-0` };
    pod.spec.volumes = [...(pod.spec.volumes ?? []), { name: claim.metadata.name, persistentVolumeClaim }];
  }
  return [pod];
}

/**
 * Starts etcd and the API server, without controllers or nodes, so nothing that is applied runs.
 * @param {string} place where they keep their files
 * @returns {Promise<() => Promise<void>>} ends them
 */
async function startControlPlane(place) {
  await mkdir(place);
  const [client = 0, peer = 0, secure = 0] = await freePorts(3);
  const etcd = `http://127.0.0.1:${client}`;
  const token = randomUUID();
  const started = [
    start("etcd", place, [
      ...[`--data-dir=${join(place, "etcd")}`, `--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`],
      ...[`--listen-peer-urls=http://127.0.0.1:${peer}`, "--unsafe-no-fsync"],
    ]),
    start("kube-apiserver", place, [
      ...[`--etcd-servers=${etcd}`, `--secure-port=${secure}`, "--bind-address=127.0.0.1"],
      ...[`--cert-dir=${join(place, "certificates")}`, "--service-account-issuer=https://lab.example"],
      ...(await writeKeys(place, token)),
      ...["--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24"],
    ]),
  ];
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "lab" },
    clusters: [{ name: "lab", cluster: { server: `https://127.0.0.1:${secure}`, "insecure-skip-tls-verify": true } }],
    users: [{ name: "lab", user: { token } }],
    contexts: [{ name: "lab", context: { cluster: "lab", user: "lab" } }],
  };
  await writeFile(join(folder, "config"), JSON.stringify(config), { mode: 0o600 });
  await waitFor(async () => ((await kubectl(["get", "--raw=/readyz"])).out.trim() === "ok" ? true : undefined), {
    ...{ what: "kube-apiserver is ready", timeoutMs: 120_000, everyMs: 500, signal },
  });
  report.begin((await kubectl(["version"])).out.trim().split("\n").at(-1) ?? "no version");
  return async () => {
    for (const child of started.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
  };
}

/** @param {string} place @param {string} token of a user with all rights @returns {Promise<string[]>} options that name what was written */
async function writeKeys(place, token) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const [signing, verifying, tokens] = [
    join(place, "signing.pem"),
    join(place, "verifying.pem"),
    join(place, "tokens.csv"),
  ];
  await writeFile(signing, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await writeFile(verifying, publicKey.export({ type: "spki", format: "pem" }));
  await writeFile(tokens, `${token},lab,lab,system:masters\n`, { mode: 0o600 });
  return [
    `--service-account-signing-key-file=${signing}`,
    `--service-account-key-file=${verifying}`,
    `--token-auth-file=${tokens}`,
  ];
}

/** @param {typeof programs[number]} name @param {string} place @param {string[]} args */
function start(name, place, args) {
  const options = /** @type {const} */ ({ cwd: place, stdio: "ignore", signal, killSignal: "SIGKILL" });
  return spawn(found[name] ?? name, args, options).on("error", () => undefined);
}

/** @param {string[]} args @param {string} [input] @returns {Promise<{ out: string, error: string }>} what it wrote, also where it failed */
function kubectl(args, input) {
  return output(found["kubectl"] ?? "kubectl", args, input);
}

/** @param {string} overlay @returns {Promise<string>} */
async function create(overlay) {
  const { out, error } = await output(join(root, "infra", "k8s", "create-secret"), [overlay], undefined, {
    ...{ DATABASE_URL: "postgres://u:p@postgres.example/w", NATS_URL: "nats://n:p@nats.example:4222" },
    ...{ AWS_ACCESS_KEY_ID: "k", AWS_SECRET_ACCESS_KEY: "s" },
  });
  return out + error;
}

/** @param {string} program @param {string[]} args @param {string} [input] @param {Record<string, string>} [more] @returns {Promise<{ out: string, error: string }>} */
function output(program, args, input, more = {}) {
  const path = [...new Set(Object.values(found).map((each) => join(String(each), "..")))].join(delimiter);
  const env = {
    ...process.env,
    ...more,
    KUBECONFIG: join(folder, "config"),
    PATH: `${path}${delimiter}${process.env["PATH"] ?? ""}`,
  };
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, signal, maxBuffer: 1 << 26 }, (_, out, error) =>
      resolve({ out, error }),
    );
    child.stdin?.end(input);
  });
}

/** @param {string} text */
function lines(text) {
  return text.trim().split("\n").length;
}

/** @param {string} name @returns {Promise<string | undefined>} */
async function find(name) {
  for (const each of folders) {
    const path = join(each, name);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
