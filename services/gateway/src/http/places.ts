import { AppError } from "@web-tester/contracts/errors";
import { createFairSlots, type FairSlots } from "@web-tester/platform/lifecycle/fair-slots";
import type { Response } from "express";

export interface PlacesOptions {
  /** The most answers that are made at the same time. */
  most: number;
  /** Milliseconds after which a request that still waits is refused. */
  waitMs: number;
  /** Milliseconds without reading after which a reader is disconnected while others wait. */
  givesWayMs: number;
}

/** The right to make an answer piece by piece. */
export interface Place {
  /** To be called when the reader does not take what was written. */
  stalls(): void;
  moves(): void;
  /** To be called once the answer takes no memory any more. */
  leave(): void;
}

interface Taken {
  readonly response: Response;
  stalledAt: number | null;
}

/**
 * A semaphore for answers that take memory while they are made, however slowly they are read. Further requests wait in the order in
 * which they came.
 */
export class Places {
  readonly #slots: FairSlots;
  readonly #taken = new Set<Taken>();
  #look: NodeJS.Timeout | undefined;

  constructor(private readonly options: PlacesOptions) {
    this.#slots = createFairSlots(options.most);
  }

  /**
   * @returns null if the reader disconnected while waiting
   * @throws AppError unavailable if no place became free in time
   */
  async take(response: Response): Promise<Place | null> {
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

  #seat(response: Response, release: () => void): Place {
    const one: Taken = { response, stalledAt: null };
    this.#taken.add(one);
    return {
      stalls: () => {
        one.stalledAt = performance.now();
        this.#makeRoom();
      },
      moves: () => {
        one.stalledAt = null;
      },
      leave: () => {
        this.#taken.delete(one);
        release();
        this.#makeRoom();
      },
    };
  }

  /** While others wait, disconnects the reader who has read nothing for longest, once that exceeds the limit. */
  #makeRoom(): void {
    clearTimeout(this.#look);
    if (this.#slots.waiting === 0) return;
    const slow = [...this.#taken].filter(({ stalledAt, response }) => stalledAt !== null && !response.destroyed);
    const [slowest] = slow.toSorted((one, other) => (one.stalledAt ?? 0) - (other.stalledAt ?? 0));
    if (slowest === undefined) return;
    const leftMs = (slowest.stalledAt ?? 0) + this.options.givesWayMs - performance.now();
    if (leftMs <= 0) slowest.response.destroy();
    else this.#look = setTimeout(() => this.#makeRoom(), leftMs).unref();
  }
}

const tooMany = () =>
  new AppError("unavailable", "Too many exports are being read at the moment. Try again in a minute.");
