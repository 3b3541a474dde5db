import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from "@nestjs/common";
import { type EventKind, eventKind } from "@web-tester/contracts/entities/digest";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { databaseTime } from "@web-tester/platform/database/database-time";
import { every, type OnDemand, onDemand, type Repeating } from "@web-tester/platform/lifecycle/every";
import type { Logger } from "@web-tester/platform/log/logger";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { selectRoutesOf, type TellingRoute } from "@web-tester/records/channels/routes";
import { forgetDeliveries, queueDelivery } from "@web-tester/records/deliveries/deliveries";
import type { RunNote } from "@web-tester/records/events/crawl-notes";
import { type Findings, findingsOf, noFindings } from "@web-tester/records/events/run-findings";
import { forgetFeedEntries, insertFeedEntry } from "@web-tester/records/feeds/feeds";
import { forgetEvents } from "@web-tester/records/events/select-events";
import { TellingFailed, tellRun, type UntoldRun } from "@web-tester/records/events/tell-run";
import { tellSilences } from "@web-tester/records/events/tell-silence";
import { oneLine } from "@web-tester/watch/digest/clean";
import { listed } from "@web-tester/watch/digest/sentence";
import { noteUntold } from "@web-tester/records/runs/untold-runs";
import { DB, LOG, STORE } from "../parts.js";
import { createContentKey } from "./content-key.js";
import { gatherUntil } from "./gather-until.js";
import { Sender } from "./sender.js";
import { isOn, type Links, linksFrom, ofFeeds, sectionOf } from "./section-of.js";
import { SENDING, type SendingParts } from "./sending-parts.js";
import { createTextChanges } from "./text-changes.js";

const runsPerTurn = 20;
/** After how long a run is tried again that could not be told. Until then the later runs of its object wait too, so that their order is kept. */
const tellAgainMs = 15_000;
/** How long sent messages stay in the list. */
const keptDays = 90;
/** How long events are kept for programs that come back for them. */
const eventsKeptDays = 365;
/** The most characters of an error that the list of messages shows. */
const whyMax = 300;
const forgetEveryMs = 5 * 60_000;
/** Silence is a matter of hours, so it is checked only every five minutes. */
const silenceEveryMs = 5 * 60_000;

/** Makes events and messages from what runs found, and sends the messages, on any gateway. */
@Injectable()
export class Notifier implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly telling: OnDemand;
  private readonly sender: Sender;
  private readonly links: Links;
  private repeating: Repeating[] = [];
  /** Objects with a run that could not be told, and the time of this process at which it is tried again. */
  private readonly failing = new Map<string, number>();

  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    @Inject(SENDING) sending: SendingParts,
    @Inject(STORE) private readonly store: ObjectStore,
  ) {
    this.sender = new Sender(db, log, sending, () => this.begin());
    this.links = linksFrom(sending.publicUrl);
    this.telling = onDemand(
      (signal) => this.turn(signal),
      (error) => log.error({ err: error }, "telling what happened failed"),
    );
  }

  onApplicationBootstrap(): void {
    this.repeating = [
      every(
        forgetEveryMs,
        () => forget(this.db),
        (error) => this.log.error({ err: error }, "forgetting what was told long ago failed"),
      ),
      every(
        silenceEveryMs,
        async () => this.tellSilences(await databaseTime(this.db)),
        (error) => this.log.error({ err: error }, "looking for sites that are silent failed"),
      ),
    ];
  }

  /** Starts a turn, unless one is under way. */
  begin(): void {
    this.telling.begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.telling.stop(), ...this.repeating.map((one) => one.stop())]);
    await this.sender.stop();
  }

  /**
   * Reports objects that have been silent for too long, where no fetch ended that would have reported it.
   * @param at the time to judge by
   */
  tellSilences(at: Date): Promise<void> {
    return tellSilences(this.db, at, (tx, run, notes) => {
      const found = { all: noFindings(), notes, of: () => Promise.resolve(noFindings()) };
      return deliver(tx, run, found, ["silent"], this.links);
    });
  }

  private async turn(signal: AbortSignal): Promise<void> {
    for (const [objectId, again] of this.failing) if (again <= performance.now()) this.failing.delete(objectId);
    for (let runs = 0; runs < runsPerTurn && !signal.aborted; runs++) if (!(await this.tellNext())) break;
    await this.sender.sendDue(signal);
  }

  /** Returns a function that finds what a route covers; what covers all is looked up once. */
  private coverer(tx: Queryable, run: UntoldRun, all: Findings): Found["of"] {
    const alsoText = createTextChanges(tx, this.store, run);
    const find = async (route: CoveredPages) =>
      findingsOf(tx, run.id, {
        ...route,
        alsoText: route.text === "" ? [] : await alsoText(route),
        exceptToldByCrawls: isOn(route.path, "/"),
      });
    // of failing pages, and those that are back, crawls may have told
    const isCrawlsMatter = all.failing.total + all.recovered.total > 0;
    let whole = isCrawlsMatter ? null : Promise.resolve(all);
    return (route) => (isOfAll(route) ? (whole ??= find(route)) : find(route));
  }

  /** @returns whether a run was taken, told or not: one that cannot be told holds up neither other objects nor messages */
  private async tellNext(): Promise<boolean> {
    try {
      return await tellRun(
        this.db,
        createContentKey(this.store),
        (tx, run, found) =>
          deliver(tx, run, { ...found, of: this.coverer(tx, run, found.all) }, eventKind.options, this.links),
        [...this.failing.keys()],
      );
    } catch (error) {
      if (!(error instanceof TellingFailed)) throw error;
      this.log.error({ err: error }, "telling what happened failed");
      this.failing.set(error.objectId, performance.now() + tellAgainMs);
      await noteUntold(this.db, error.runId, wordsOf(error.cause));
      return true;
    }
  }
}

async function forget(db: Database): Promise<void> {
  await forgetDeliveries(db, keptDays);
  await forgetEvents(db, eventsKeptDays);
  await forgetFeedEntries(db, eventsKeptDays);
}

const wordsOf = (cause: unknown): string => oneLine(cause instanceof Error ? cause.message : String(cause), whyMax);

/** What decides of which pages a route tells. */
type CoveredPages = Pick<TellingRoute, "path" | "text" | "failures" | "toldSince">;

const isOfAll = ({ path, text, failures, toldSince }: CoveredPages): boolean =>
  path === "" && text === "" && failures === 1 && toldSince === null;

interface Found {
  all: Findings;
  notes: RunNote[];
  /** The findings that a route covers. */
  of: (route: CoveredPages) => Promise<Findings>;
}

/**
 * Queues a message for each route that covers what was found, and stores it for feeds.
 * @param kinds the kinds of event that are possible here
 */
async function deliver(
  tx: Queryable,
  run: UntoldRun,
  found: Found,
  kinds: readonly EventKind[],
  links: Links,
): Promise<void> {
  const now = await databaseTime(tx);
  const { all } = found;
  const only = <T extends { events: readonly EventKind[] }>(told: T): T => ({
    ...told,
    events: told.events.filter((kind) => kinds.includes(kind)),
  });
  const entry = sectionOf(run, { all, covered: await found.of(ofFeeds) }, only(ofFeeds), found.notes, links);
  if (entry !== null) await insertFeedEntry(tx, run.id, entry);
  const said = new Set<string>();
  for (const route of await selectRoutesOf(tx, run.objectId)) {
    if (route.muted_until !== null && new Date(route.muted_until) > now) continue;
    const section = sectionOf(run, { all, covered: await found.of(route) }, only(route), found.notes, links);
    if (section === null) continue;
    const gathered = gatherUntil(route.cadence, now);
    // one route may be about the object, another about its tag and a third about all: whoever is told at once reads it once
    const words = `${route.channel_id} ${JSON.stringify(section)}`;
    if (gathered === null && said.has(words)) continue;
    if (gathered === null) said.add(words);
    await queueDelivery(tx, {
      channelId: route.channel_id,
      routeId: route.id,
      cadence: route.cadence.type,
      section,
      sentence: listed([section]),
      gatherUntil: gathered,
    });
  }
}
