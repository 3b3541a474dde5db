import type { ReconcilerOptions } from "@web-tester/worker/reconcile";

/** What the gateway's features stand on is made once, in `gateway.ts`, and reaches them as values under these tokens. */
export const DB = Symbol("db");
export const BUS = Symbol("bus");
export const STORE = Symbol("store");
export const SECRETS = Symbol("secrets");
export const LOG = Symbol("log");
export const METRICS = Symbol("metrics");
export const ACCESS = Symbol("access");
/** `Door`: who is asking. */
export const DOOR = Symbol("door");
/** `LiveCredentials`: what goes on in the name of tokens. */
export const LIVE = Symbol("live credentials");
/** `Audit`: who changed what. */
export const AUDIT = Symbol("audit");
/** `Provider | null`: where people sign in. */
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
  /** Between two looks for lost deletions. */
  reconcileMs: number;
  /** Where assets are kept, as shown to people. */
  storagePlace: string;
  /** Is told of deletions that had lost their message. */
  onRecovered: ReconcilerOptions["onRecovered"];
  /** Whether its own port has /metrics: where it has none for operators. */
  showsMetrics: boolean;
  /** How long a browser stays signed in. */
  sessionMs: number;
  /** How long the list of changes is kept; 0: for good. */
  auditDays: number;
  /** What the identity provider is called; null: there is none. */
  providerName: string | null;
  /** Where people reach the product, without a slash at the end. */
  publicUrl: string;
  /** Whether that was set: else it is what the gateway listens on. */
  hasPublicUrl: boolean;
  /** How long deletions that are asked for in the browser can be undone. */
  undoSeconds: number;
  /** Port of the sample site; null where none is offered. */
  samplePort: number | null;
  /** Legal details of who provides this installation, as far as they were given. */
  provider: { name: string | null; address: string | null; email: string | null };
}
