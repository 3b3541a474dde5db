import { triedStep } from "./login-steps.js";
import { z } from "zod";
import { appliedRule, drawnElement, rulePreviewPart, suggestedRule } from "./entities/rule.js";
import { diffHunk, pictureRegion } from "./entities/compare.js";
import { contentForm, diffType, formChoice, id } from "./entities/vocabulary.js";

/**
 * Every message of the product, in the order of the work. Work messages carry ids only: the database rows are the truth, so a message may
 * be lost, repeated or late without harm.
 *
 * Work with `lanes` has a separate queue (a durable consumer) for each lane. `partitioned` work has one for each partition of hosts as
 * well, whose `max_ack_pending` limits how many messages of one host are handled at once, over all replicas.
 */
export const streams = {
  WORK: { subjects: ["work.>"], retention: "workqueue", maxAgeMs: 0, maxBytes: 0 },
  JOBLOG: { subjects: ["joblog.>"], retention: "limits", maxAgeMs: 7 * 24 * 3_600_000, maxBytes: 64 * 1024 * 1024 },
} as const;
export type StreamName = keyof typeof streams;

export interface WorkMessage<S extends z.ZodType = z.ZodType> {
  /** What the receiver has to do, as an imperative. */
  readonly subject: string;
  readonly schema: S;
  readonly stream: StreamName;
  /** Milliseconds without an acknowledgement after which the message is redelivered to another receiver. */
  readonly ackWaitMs: number;
  readonly lanes: readonly string[];
  readonly partitioned: boolean;
  /** The most messages of a consumer that are handled at once; 0 if the limit per host applies instead. */
  readonly maxInFlight: number;
  readonly receiver: "crawler" | "fetcher" | "differ" | "gateway";
}

const work = <S extends z.ZodType>(message: WorkMessage<S>): WorkMessage<S> => message;

/** The most rows that one message names. The pages of a message are loaded one after the other, so each message makes one request at a time. */
export const rowsPerMessageMax = 32;
const ids = z.array(id).min(1).max(rowsPerMessageMax);
/** The host with its port (`URL.host`) to which all rows of a message belong; absent in messages of earlier releases. */
const host = z.string().max(300).optional();
/** The most snapshots of one `diff` message: as many as a fetcher records at once. */
export const changesPerMessageMax = 128;

export const messages = {
  crawl: work({
    subject: "work.crawl",
    schema: z.object({ pageIds: ids, host }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: [],
    partitioned: true,
    maxInFlight: 0,
    receiver: "crawler",
  }),
  sitemap: work({
    subject: "work.sitemap",
    schema: z.object({ pageIds: ids, host }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: [],
    partitioned: true,
    maxInFlight: 0,
    receiver: "crawler",
  }),
  fetch: work({
    subject: "work.fetch",
    schema: z.object({ snapshotIds: ids, host }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: ["now", "bulk"],
    partitioned: true,
    maxInFlight: 0,
    receiver: "fetcher",
  }),
  diff: work({
    subject: "work.diff",
    schema: z.object({ snapshotIds: z.array(id).min(1).max(changesPerMessageMax) }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: [],
    partitioned: false,
    maxInFlight: 16,
    receiver: "differ",
  }),
  evaluate: work({
    subject: "work.evaluate",
    schema: z.object({ runId: id }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: [],
    partitioned: false,
    maxInFlight: 4,
    receiver: "differ",
  }),
  noise: work({
    subject: "work.noise",
    schema: z.object({ runId: id }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: [],
    partitioned: false,
    maxInFlight: 4,
    receiver: "differ",
  }),
  compare: work({
    subject: "work.compare",
    schema: z.object({ runId: id }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: [],
    partitioned: false,
    maxInFlight: 4,
    receiver: "differ",
  }),
  delete: work({
    subject: "work.delete",
    schema: z.object({ runId: id }),
    stream: "WORK",
    ackWaitMs: 30_000,
    lanes: [],
    partitioned: false,
    maxInFlight: 4,
    receiver: "gateway",
  }),
  import: work({
    subject: "work.import",
    schema: z.object({ importId: id }),
    stream: "WORK",
    ackWaitMs: 10_000,
    lanes: [],
    partitioned: false,
    // messages that wait for a retry count too, so there is room for more than the two that a gateway handles at once
    maxInFlight: 50,
    receiver: "gateway",
  }),
} as const;
export type MessageName = keyof typeof messages;
export type MessageBody<N extends MessageName> = z.infer<(typeof messages)[N]["schema"]>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const originMap = z.object({ from: z.url(), to: z.url() });
/** A mapping of origins, or of folders in them: addresses with the origin `from` are read as if they had the origin `to`. */
export type OriginMap = z.infer<typeof originMap>;
/** One side of a comparison: the hash of its content, and the charset to read it in. */
const compared = z.object({ sha256, charset: z.string(), readAs: originMap.optional() });

const count = z.int().nonnegative();
/** The size of a difference. `added` and `removed` count lines, words or characters, as requested; `aLines` and `bLines` are the lines of both documents. */
export const diffFigures = z.object({
  identical: z.boolean(),
  coarse: z.boolean(),
  added: count,
  removed: count,
  changes: count,
  aLines: count,
  bLines: count,
  truncated: z.boolean(),
  /** The form that was compared; absent in answers of earlier releases, which knew only the source. */
  as: contentForm.optional(),
  /** The numbers of changed blocks that count, and that do not; absent if no rule is in force. */
  significant: count.optional(),
  ignored: count.optional(),
  /** The rules in force that could not be evaluated on one of the pages, and why. */
  notApplied: z.array(z.object({ rule: id, reason: z.string() })).optional(),
});
export type DiffFigures = z.infer<typeof diffFigures>;

/** The result of a comparison: how much differs, and the changed places. */
export const diffResult = diffFigures.extend({ hunks: z.array(diffHunk) });
export type DiffResult = z.infer<typeof diffResult>;

/** The outcome of rendering a page in a browser. `reason` is a sentence for people; `status` is the server's, which older fetchers do not send. */
export const renderReply = z.union([
  z.object({ kind: z.literal("inline"), html: z.string(), finalUrl: z.string(), status: z.int().optional() }),
  /** If the document is too large for one message, it is in the object store as UTF-8 under this hash. */
  z.object({ kind: z.literal("stored"), sha256, finalUrl: z.string(), status: z.int().optional() }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
]);
export type RenderReply = z.infer<typeof renderReply>;

/** The words that only one of two pages shows, as positions in its HTML: start, end, start, end … in UTF-16 units of the decoded text. */
export const textMarks = z.object({
  a: z.array(count),
  b: z.array(count),
  added: count,
  removed: count,
  coarse: z.boolean(),
  truncated: z.boolean(),
});
export type TextMarks = z.infer<typeof textMarks>;

const drawn = z.object({ sha256, width: count, height: count, pageHeight: count });
/** Two pages as a browser draws them, and where the pictures differ. The pictures are in the object store as PNG. */
export const picturesReply = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("compared"),
    a: drawn,
    b: drawn,
    mask: sha256.nullable(),
    differing: count,
    unequal: count,
    pixels: count,
    regions: z.array(pictureRegion),
    regionsTotal: count,
  }),
  z.object({ state: z.literal("no-browser"), reason: z.string() }),
  z.object({ state: z.literal("failed"), reason: z.string() }),
]);
export type PicturesReply = z.infer<typeof picturesReply>;

const pageHead = z.object({
  title: z.string().nullable(),
  canonical: z.string().nullable(),
  robots: z.string().nullable(),
});

/** Questions that one service asks another, and whose answer it waits for (request and reply of core NATS; nothing is stored). */
export const questions = {
  diff: {
    subject: "ask.diff",
    timeoutMs: 15_000,
    receiver: "differ",
    request: z.object({
      a: compared,
      b: compared,
      by: diffType,
      context: z.int().min(0).max(1_000_000),
      as: formChoice.default("source"),
      /** The page's path and query, and the rules in force, to mark lines that do not count. */
      path: z.string().default("/"),
      rules: z.array(appliedRule).default([]),
    }),
    /** If the hunks are too large for one message, their list is in the object store as JSON under this hash. */
    reply: z.union([z.object({ inline: diffResult }), z.object({ figures: diffFigures, storedHunks: sha256 })]),
  },
  /** What a rule would do to an object's changes that count, from the newest on, as far as it gets within its time. */
  previewRule: {
    subject: "ask.preview-rule",
    timeoutMs: 15_000,
    receiver: "differ",
    request: z.object({ objectId: id, rule: appliedRule, replaces: id.nullable(), before: id.nullable(), since: id }),
    reply: rulePreviewPart,
  },
  /** A page as it is now, fetched without conditional headers. Its content is in the object store, where nothing refers to it. */
  probe: {
    subject: "ask.probe",
    timeoutMs: 120_000,
    receiver: "fetcher",
    request: z.object({ instanceId: id }),
    reply: z.union([compared, z.object({ reason: z.string() })]),
  },
  /** A file of a page as it is now, loaded once per round. Its content is in the object store, where nothing refers to it for long. */
  probeFile: {
    subject: "ask.probe-file",
    timeoutMs: 60_000,
    receiver: "fetcher",
    request: z.object({ instanceId: id, url: z.string(), round: id }),
    reply: z.object({ sha256: z.string().nullable().describe("Null where it could not be had") }),
  },
  /** The narrowest rules that would silence a changed place. */
  suggestRules: {
    subject: "ask.suggest-rules",
    timeoutMs: 15_000,
    receiver: "differ",
    request: z.object({
      a: compared,
      b: compared,
      /** A line of one side, or elements of the newer page. */
      at: z.union([
        z.object({ as: contentForm, side: z.enum(["a", "b"]), line: z.int().min(1) }),
        z.object({ elements: z.array(drawnElement) }),
      ]),
      path: z.string(),
      rules: z.array(appliedRule),
    }),
    reply: z.object({ rules: z.array(suggestedRule) }),
  },
  /** A range of lines of a document in one of its forms, 1-based and inclusive. */
  lines: {
    subject: "ask.lines",
    timeoutMs: 15_000,
    receiver: "differ",
    request: z.object({ of: compared, as: contentForm, from: z.int().min(1), to: z.int().min(1) }),
    reply: z.object({ lines: z.array(z.string()) }),
  },
  /** The versions of a page between which a line or a text appeared and disappeared, searched from one version in both directions. */
  trace: {
    subject: "ask.trace",
    timeoutMs: 15_000,
    receiver: "differ",
    request: z.object({
      /** Oldest first; neighbours differ. */
      versions: z.array(compared).min(1).max(4_000),
      at: z.int().min(0),
      as: contentForm,
      sought: z.union([z.object({ line: z.int().min(1) }), z.object({ text: z.string().min(1).max(1_000) })]),
    }),
    /** Indices into `versions`. `present`: whether the version has the text; `first` to `last`: versions of which the same is true; null: none on that side differs. */
    reply: z.union([
      z.object({ problem: z.literal("no such line"), lines: count }),
      z.object({
        present: z.boolean(),
        text: z.string(),
        before: count.nullable(),
        first: count,
        last: count,
        after: count.nullable(),
        reads: count,
        /** Number of versions from `first` to `last` that were not read; absent in answers of earlier releases, which did not count them. */
        passed: count.optional(),
      }),
    ]),
  },
  /** The words of two pages that differ. */
  marks: {
    subject: "ask.marks",
    timeoutMs: 15_000,
    receiver: "differ",
    request: z.object({ a: compared, b: compared }),
    reply: textMarks,
  },
  /** The heads of two pages; null if the pages are the same bytes. */
  heads: {
    subject: "ask.heads",
    timeoutMs: 15_000,
    receiver: "differ",
    request: z.object({ a: compared, b: compared }),
    reply: z.object({ heads: z.tuple([pageHead, pageHead]).nullable() }),
  },
  /** Two snapshots drawn by Chromium and compared pixel by pixel; `threshold` 0…1: how far apart two colours may be and still count as equal. */
  pictures: {
    subject: "ask.pictures",
    timeoutMs: 150_000,
    receiver: "fetcher",
    request: z.object({ a: id, b: id, threshold: z.number().min(0).max(1) }),
    reply: picturesReply,
  },
  /** The largest elements of a snapshot that lie within a region of its picture; `problem` says in words why they are not known. */
  elementsAt: {
    subject: "ask.elements-at",
    timeoutMs: 60_000,
    receiver: "fetcher",
    request: z.object({ snapshotId: id, region: pictureRegion }),
    reply: z.union([z.object({ elements: z.array(drawnElement) }), z.object({ problem: z.string() })]),
  },
  /** A small picture of a snapshot, in the object store as PNG; `tiny`: a JPEG of a few KB for mails; `problem` says in words why there is none. */
  thumbnail: {
    subject: "ask.thumbnail",
    timeoutMs: 90_000,
    receiver: "fetcher",
    request: z.object({ snapshotId: id, tiny: z.boolean().optional() }),
    reply: z.union([z.object({ sha256 }), z.object({ problem: z.string() })]),
  },
  /** One page of a test object, rendered in Chromium, so that the crawler finds links that scripts create. */
  render: {
    subject: "ask.render",
    timeoutMs: 150_000,
    receiver: "fetcher",
    /** `round`: the run or snapshot whose session is used, if the site needs a login. */
    request: z.object({ objectId: id, url: z.string(), round: id.optional() }),
    reply: renderReply,
  },
  /** Signs in at an object's site with its stored steps; pictures of the page after each step are in the object store as PNG. */
  tryLogin: {
    subject: "ask.try-login",
    timeoutMs: 120_000,
    receiver: "fetcher",
    request: z.object({ objectId: id }),
    reply: z.object({ steps: z.array(triedStep.extend({ picture: sha256.nullable() })) }),
  },
  /**
   * Makes sure that a session exists for a round (a run, or a single snapshot), and signs in again if the site no longer accepts the
   * session of version `expired`; `problem` says in words why that failed.
   */
  signIn: {
    subject: "ask.sign-in",
    timeoutMs: 120_000,
    receiver: "fetcher",
    request: z.object({ objectId: id, round: id, expired: z.int().optional() }),
    reply: z.object({ problem: z.string().nullable() }),
  },
  /** Whether the fetchers have a browser; `problem` says in words why they have none. */
  browser: {
    subject: "ask.browser",
    timeoutMs: 2_000,
    receiver: "fetcher",
    request: z.object({}),
    reply: z.object({ problem: z.string().nullable() }),
  },
} as const;
export type QuestionName = keyof typeof questions;

/** The number of partitions that hosts are spread over. */
export const partitions = 64;

/** The subject of an object's events, `event.<test object id>`. They are not stored: processes that do not listen miss them. */
export const eventSubject = { prefix: "event", all: "event.*" } as const;
/** The subject of a run's lines in the job log: `joblog.<run id>`. */
export const jobLogSubject = { prefix: "joblog", all: "joblog.>" } as const;
