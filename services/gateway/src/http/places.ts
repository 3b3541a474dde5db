import type { ServerResponse } from "node:http";
import { AppError } from "@web-tester/contracts/errors";
import { createFairSlots, type FairSlots } from "@web-tester/platform/lifecycle/fair-slots";

export interface PlacesOptions {
  /** The most answers that are made at the same time. */
  most: number;
  /** Milliseconds after which a request that still waits is refused. */
  waitMs: number;
  /** Milliseconds that a reader may be behind before it is disconnected while others wait: without reading, or by reading too slowly. */
  givesWayMs: number;
  /** Milliseconds that a piece may take its reader without its falling behind: the least rate. */
  pieceMs: number;
  nowMs?: () => number;
}

/** The right to make an answer piece by piece. */
export interface Place {
  /** To be called when the reader does not take what was written. */
  stalls(): void;
  /** To be called when a piece was taken. */
  moves(): void;
  /** To be called once the answer takes no memory any more. */
  leave(): void;
}

interface Taken {
  readonly response: ServerResponse;
  stalledAt: number | null;
  /** How far the reader was behind when it last took a piece. Being fast earns nothing in advance. */
  behindMs: number;
}

/**
 * A semaphore for answers that take memory while they are made, however slowly they are read. Further requests wait in the order in
 * which they came.
 */
export class Places {
  readonly #slots: FairSlots;
  readonly #taken = new Set<Taken>();
  readonly #nowMs: () => number;
  #look: NodeJS.Timeout | undefined;

  constructor(private readonly options: PlacesOptions) {
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#slots = createFairSlots(options.most);
  }

  /**
   * @returns null if the reader disconnected while waiting
   * @throws AppError unavailable if no place became free in time
   */
  async take(response: ServerResponse): Promise<Place | null> {
    if (response.destroyed) return null;
    const gone = new AbortController();
    const leave = () => gone.abort();
    response.once("close", leave);
    const late = AbortSignal.timeout(this.options.waitMs);
    try {
      const taking = this.#slots.take("", AbortSignal.any([gone.signal, late]));
      this.#makeRoom();
      return this.#seat(response, await taking);
    } catch (error) {
      if (gone.signal.aborted) return null;
      throw late.aborted ? tooMany() : error;
    } finally {
      response.off("close", leave);
    }
  }

  #seat(response: ServerResponse, release: () => void): Place {
    const one: Taken = { response, stalledAt: null, behindMs: 0 };
    this.#taken.add(one);
    return {
      stalls: () => {
        one.stalledAt = this.#nowMs();
        this.#makeRoom();
      },
      moves: () => {
        one.behindMs = Math.max(0, this.#behindMs(one) - this.options.pieceMs);
        one.stalledAt = null;
      },
      leave: () => {
        this.#taken.delete(one);
        release();
        this.#makeRoom();
      },
    };
  }

  #behindMs({ stalledAt, behindMs }: Taken): number {
    return behindMs + (stalledAt === null ? 0 : this.#nowMs() - stalledAt);
  }

  /** While others wait, disconnects the reader who is furthest behind and takes nothing now, once that exceeds the limit. */
  #makeRoom(): void {
    clearTimeout(this.#look);
    if (this.#slots.waiting === 0) return;
    const slow = [...this.#taken].filter(({ stalledAt, response }) => stalledAt !== null && !response.destroyed);
    const [slowest] = slow.toSorted((one, other) => this.#behindMs(other) - this.#behindMs(one));
    if (slowest === undefined) return;
    const leftMs = this.options.givesWayMs - this.#behindMs(slowest);
    if (leftMs <= 0) slowest.response.destroy();
    else this.#look = setTimeout(() => this.#makeRoom(), leftMs).unref();
  }
}

const tooMany = () =>
  new AppError("unavailable", "Too many exports are being read at the moment. Try again in a minute.");
