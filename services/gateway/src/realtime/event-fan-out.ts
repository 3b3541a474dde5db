import type { ProductEvent } from "@web-tester/contracts/socket";
import type { Clock } from "./clock.js";
import { EventQueue, isProgress } from "./event-queue.js";
import { sendPrepared, type Socket, type WriteFrames } from "./peer.js";
import { textFrame } from "./text-frame.js";
import { objectTopic, type Topics } from "./topics.js";

/** The time between two rounds, so that a client gets at most ten events a second, whatever it listens to. */
const everyMs = 100;
/** The largest share of the time that sending may take: a thousand clients get events about twice a second, not ten times. */
const share = 1 / 25;
const pauseMaxMs = 1_000;

/**
 * Sends events to the sockets that listen to their objects, one to each socket in each round. Events between two rounds are coalesced
 * per object, and once more for a socket that listens to several objects with news, so that nothing is lost.
 */
export class EventFanOut {
  /** Events that the next round sends, by topic. */
  private readonly news = new Map<string, EventQueue>();
  /** Events that single sockets have still to get, where a round had more than one for them. */
  private readonly behind = new Map<Socket, EventQueue>();
  private cancelRound: (() => void) | null = null;

  constructor(
    private readonly topics: Topics<Socket>,
    private readonly clock: Clock,
    private readonly write: WriteFrames,
  ) {}

  push(event: ProductEvent): void {
    const topic = objectTopic(event.testobjectId);
    if (!this.topics.has(topic)) return;
    const queue = this.news.get(topic) ?? new EventQueue();
    this.news.set(topic, queue);
    queue.push(event);
    // too far behind: listeners are disconnected, connect again, and read the present state
    if (queue.isOverfull) {
      this.news.delete(topic);
      for (const socket of this.topics.of(topic)) socket.terminate();
    }
    if (this.cancelRound === null) this.tellAndPause();
  }

  /**
   * Drops pending events of a socket.
   * @param testobjectId the object that the socket does not listen to any more; without it, all objects
   */
  forget(socket: Socket, testobjectId?: string): void {
    if (testobjectId === undefined) this.behind.delete(socket);
    else this.behind.get(socket)?.drop(testobjectId);
  }

  stop(): void {
    this.cancelRound?.();
    this.cancelRound = null;
  }

  private tellAndPause(): void {
    this.cancelRound = null;
    if (this.news.size === 0 && this.behind.size === 0) return;
    const began = this.clock.nowMs();
    this.tell();
    const pauseMs = (this.clock.nowMs() - began) * (1 / share - 1);
    this.cancelRound = this.clock.after(Math.min(pauseMaxMs, Math.max(everyMs, pauseMs)), () => this.tellAndPause());
  }

  private tell(): void {
    const told = new Set<Socket>();
    for (const [topic, queue] of [...this.news]) {
      const event = queue.take();
      if (queue.isEmpty) this.news.delete(topic);
      if (event === null) continue;
      const frame = frameOf(event);
      for (const socket of this.topics.of(topic)) {
        if (told.has(socket) || this.behind.has(socket)) this.keep(socket, event);
        else {
          told.add(socket);
          this.send(socket, event, frame);
        }
      }
    }
    for (const [socket, queue] of [...this.behind]) {
      if (told.has(socket)) continue;
      const event = queue.take();
      if (event !== null) this.send(socket, event, frameOf(event));
      if (queue.isEmpty) this.behind.delete(socket);
    }
  }

  private keep(socket: Socket, event: ProductEvent): void {
    const queue = this.behind.get(socket) ?? new EventQueue();
    this.behind.set(socket, queue);
    queue.push(event);
    if (queue.isOverfull) socket.terminate();
  }

  private send(socket: Socket, event: ProductEvent, frame: Uint8Array): void {
    sendPrepared(socket, frame, this.write, isProgress(event) && event.running);
  }
}

function frameOf(event: ProductEvent): Uint8Array {
  return textFrame(JSON.stringify(event));
}
