import type { ReconcilerOptions } from "@web-tester/worker/reconcile";

/** The injection tokens of what the gateway's features depend on; the values are made once, in `gateway.ts`. */
export const DB = Symbol("db");
export const BUS = Symbol("bus");
export const STORE = Symbol("store");
export const SECRETS = Symbol("secrets");
export const LOG = Symbol("log");
export const METRICS = Symbol("metrics");
export const ACCESS = Symbol("access");
/** `Authenticator`: identifies callers. */
export const AUTHENTICATOR = Symbol("authenticator");
/** `LiveCredentials`: what is open under which credentials. */
export const LIVE = Symbol("live credentials");
/** `Audit`: writes down who changed what. */
export const AUDIT = Symbol("audit");
/** `Provider | null`: the identity provider that people sign in at. */
export const PROVIDER = Symbol("identity provider");
/** `() => Promise<string | null>`: why no fetcher can load pages in a browser, at most 15 s old; null where one can, or none answers. */
export const BROWSER_PROBLEM = Symbol("browser problem");
/** `RateLimit` of all clients. */
export const RATE = Symbol("rate");
/** `Sender` of large answers. */
export const SENDER = Symbol("sender");
/** `Replayer` of stored pages. */
export const REPLAYER = Symbol("replayer");
export const OPTIONS = Symbol("options");

export interface GatewayOptions {
  /** Requests in flight to one host, over all fetchers: decides how many rows one message carries. */
  hostConcurrency: number;
  /** Milliseconds between two searches for lost deletions. */
  reconcileMs: number;
  /** Milliseconds that a worker's lease lasts. */
  leaseMs: number;
  /** Says that the disk under the product's own parts is full; null: it is not, or they are elsewhere. */
  fullDisk: () => string | null;
  /** Where assets are kept, as shown to people. */
  storagePlace: string;
  /** Logs errors of work that goes on by itself. */
  onError: ReconcilerOptions["onError"];
  /** Is called with deletions that had lost their message. */
  onRecovered: ReconcilerOptions["onRecovered"];
  /** Whether the gateway's own port serves /metrics: only where there is no port for operators. */
  showsMetrics: boolean;
  /** How long, in milliseconds, a browser stays signed in. */
  sessionMs: number;
  /** How many days the list of changes is kept; 0: forever. */
  auditDays: number;
  /** The name of the identity provider for screens; null: there is none. */
  providerName: string | null;
  /** The address at which people reach the product, without a slash at the end. */
  publicUrl: string;
  /** Whether that address was configured: else it is the one that the gateway listens on. */
  hasPublicUrl: boolean;
  /** How many seconds deletions asked for in the browser can be undone. */
  undoSeconds: number;
  /** Port of the sample site; null where none is offered. */
  samplePort: number | null;
  /** Legal details of this installation's provider, as far as they were configured. */
  provider: { name: string | null; address: string | null; email: string | null };
}
