import type { IncomingMessage } from "node:http";
import type { Bus } from "@web-tester/platform/bus/bus";
import { z } from "zod";

/** What is ended with the credentials of whoever needed none, once tokens are asked for. */
export const anybodysCredential = "anybody";

const subject = "access.ended";
const told = z.object({ ids: z.array(z.string()), changed: z.boolean().default(false) });

/** What goes on in the name of tokens, sign-ins and share links here: websockets, and answers that are being written. */
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
   * @param end is called once when one of the credentials has ended
   * @returns a function that says that it goes on no more
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

  /** The same for an answer that is being written. */
  trackAnswer(request: IncomingMessage, credentials: readonly string[], end: () => void): () => void {
    const forget = this.track(credentials, end);
    this.ofRequest.set(request, forget);
    return forget;
  }

  /** The answer to whoever ends their own credentials is still written. */
  spare(request: IncomingMessage): void {
    this.ofRequest.get(request)?.();
  }

  /** Ends all that goes on in their name, here at once and in every other gateway. @param changed whether tokens came or went */
  endEverywhere(ids: readonly string[], changed = false): void {
    if (changed) this.onChange();
    this.end(ids);
    this.bus.tell(subject, { ids, changed });
  }

  end(ids: readonly string[]): void {
    for (const id of ids) for (const end of [...(this.open.get(id) ?? [])]) end();
  }

  /** The credentials in whose name something goes on. */
  ids(): string[] {
    return [...this.open.keys()].filter((id) => id !== anybodysCredential);
  }
}
