import { AppError } from "@web-tester/contracts/errors";
import type { Response } from "express";

export interface PlacesOptions {
  /** So many have a place at the same time, at most. */
  most: number;
  /** Who gets none in this time is refused. */
  waitMs: number;
  /** A reader who takes nothing for so long gives way, where others wait. */
  givesWayMs: number;
}

/** The right to make an answer piece by piece. */
export interface Place {
  /** What was written is not taken yet. */
  stalls(): void;
  moves(): void;
  /** To be called once nothing of the answer is in memory any more. */
  leave(): void;
}

interface Taken {
  readonly response: Response;
  stalledAt: number | null;
}

/**
 * Places for answers that cost memory while they are made, whatever their readers do: as many as there are places, and no more. Others
 * wait in the order in which they came.
 */
export class Places {
  readonly #taken = new Set<Taken>();
  readonly #waiting = new Set<() => void>();
  #look: NodeJS.Timeout | undefined;

  constructor(private readonly options: PlacesOptions) {}

  /**
   * @returns null where the reader left while waiting
   * @throws AppError unavailable where nobody left in time
   */
  take(response: Response): Promise<Place | null> {
    if (response.destroyed) return Promise.resolve(null);
    if (this.#taken.size < this.options.most) return Promise.resolve(this.#seat(response));
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        response.off("close", gone);
        this.#waiting.delete(seat);
      };
      const seat = () => {
        settle();
        resolve(this.#seat(response));
      };
      const gone = () => {
        settle();
        resolve(null);
      };
      const timer = setTimeout(() => {
        settle();
        reject(tooMany());
      }, this.options.waitMs);
      response.once("close", gone);
      this.#waiting.add(seat);
      this.#makeRoom();
    });
  }

  #seat(response: Response): Place {
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
      leave: () => this.#leave(one),
    };
  }

  #leave(one: Taken): void {
    if (!this.#taken.delete(one)) return;
    const [next] = this.#waiting;
    next?.();
    this.#makeRoom();
  }

  /** Ends the reader who took nothing for longest, as soon as that is long enough and while somebody waits. */
  #makeRoom(): void {
    clearTimeout(this.#look);
    if (this.#waiting.size === 0) return;
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
