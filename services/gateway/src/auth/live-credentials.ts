import type { IncomingMessage } from "node:http";
import type { Bus } from "@web-tester/platform/bus/bus";
import { z } from "zod";

/** Stands for callers who needed no credentials; what they have open is ended once tokens are required. */
export const anybodysCredential = "anybody";

const subject = "access.ended";
const told = z.object({ ids: z.array(z.string()), changed: z.boolean().default(false) });

/** Knows which websockets and unfinished answers are open here under which tokens, sign-ins and share links. */
export class LiveCredentials {
  private readonly open = new Map<string, Set<() => void>>();
  private readonly ofRequest = new WeakMap<IncomingMessage, () => void>();
  private stopHearing: (() => void) | null = null;

  /** @param onChange is told that tokens were made or revoked somewhere */
  constructor(
    private readonly bus: Pick<Bus, "tell" | "hear">,
    private readonly onChange: () => void,
  ) {}

  start(): void {
    this.stopHearing = this.bus.hear(subject, (value) => {
      const parsed = told.safeParse(value);
      if (!parsed.success) return;
      if (parsed.data.changed) this.onChange();
      this.end(parsed.data.ids);
    });
  }

  stop(): void {
    this.stopHearing?.();
  }

  /**
   * Registers something open under credentials.
   * @param end is called when one of the credentials has ended
   * @returns a function that unregisters it
   */
  track(credentials: readonly string[], end: () => void): () => void {
    for (const id of credentials) {
      const ends = this.open.get(id) ?? new Set();
      this.open.set(id, ends.add(end));
    }
    return () => {
      for (const id of credentials) {
        const ends = this.open.get(id);
        ends?.delete(end);
        if (ends?.size === 0) this.open.delete(id);
      }
    };
  }

  /** Registers an answer that is being written. */
  trackAnswer(request: IncomingMessage, credentials: readonly string[], end: () => void): () => void {
    const forget = this.track(credentials, end);
    this.ofRequest.set(request, forget);
    return forget;
  }

  /** Unregisters an answer, so that those who end their own credentials still get it. */
  spare(request: IncomingMessage): void {
    this.ofRequest.get(request)?.();
  }

  /**
   * Ends everything open under these credentials, here at once and in every other gateway.
   * @param changed whether tokens were made or revoked
   */
  endEverywhere(ids: readonly string[], changed = false): void {
    if (changed) this.onChange();
    this.end(ids);
    this.bus.tell(subject, { ids, changed });
  }

  end(ids: readonly string[]): void {
    for (const id of ids) for (const end of [...(this.open.get(id) ?? [])]) end();
  }

  /** The credentials under which something is open. */
  ids(): string[] {
    return [...this.open.keys()].filter((id) => id !== anybodysCredential);
  }
}
