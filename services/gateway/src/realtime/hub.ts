import { assertNever } from "@web-tester/contracts/assert-never";
import { limits } from "@web-tester/contracts/limits";
import type { ClientFrame, JobLine } from "@web-tester/contracts/socket";
import type { Bus } from "@web-tester/platform/bus/bus";
import { coalesceReads } from "@web-tester/platform/lifecycle/coalesce";
import type { Clock } from "./clock.js";
import { EventFanOut } from "./event-fan-out.js";
import { isSlow, sendFrame, sendPrepared, type Socket, type WriteFrames } from "./peer.js";
import { textFrame } from "./text-frame.js";
import { objectTopic, roomTopic, Topics } from "./topics.js";

/**
 * The first line after a pause is sent at once, those that follow are batched: a write per socket and line would take a whole
 * processor core for 1,000 sockets and 100 lines a second.
 */
const linesEveryMs = 50;
const topicsMax = 1_000;
/** The most lines held back for a socket while a history is being read. */
const heldMax = 1_000;

/** The part of the bus that the hub uses. */
export type HubBus = Pick<Bus, "onEvent" | "onLogLine" | "logHistory">;

/** Forwards events and job lines from the bus to the sockets that subscribed to them. */
export class Hub {
  private readonly topics = new Topics<Socket>(topicsMax);
  /** Lines that arrived while the history of a room was being read, by socket and room. */
  private readonly held = new Map<Socket, Map<string, JobLine[]>>();
  private readonly events: EventFanOut;
  /** Coalesces reads of the history: whoever asks during a read waits for the next one, together with all others that asked meanwhile. */
  private readonly share = coalesceReads();
  /** Lines that wait for the next write, in the order in which they came. */
  private lines: JobLine[] = [];
  private cancelLines: (() => void) | null = null;
  private stops: (() => void)[] = [];

  constructor(
    private readonly bus: HubBus,
    private readonly clock: Clock,
    private readonly write: WriteFrames,
  ) {
    this.events = new EventFanOut(this.topics, clock, write);
  }

  start(): void {
    this.stops = [
      this.bus.onEvent((event) => this.events.push(event)),
      this.bus.onLogLine((line) => this.pushLine(line)),
    ];
  }

  stop(): void {
    for (const stop of this.stops.splice(0)) stop();
    this.events.stop();
    this.cancelLines?.();
    this.tellLines();
  }

  open(socket: Socket): void {
    sendFrame(socket, { type: "welcome", pid: process.pid });
  }

  close(socket: Socket): void {
    this.topics.removeAll(socket);
    this.events.forget(socket);
    this.held.delete(socket);
  }

  /** @param defaultRoom the room that a subscription without any name means on this socket; null: none */
  async handle(socket: Socket, frame: ClientFrame, defaultRoom: string | null): Promise<void> {
    // lines that came before this frame are only for the sockets subscribed until now
    this.tellLines();
    switch (frame.type) {
      case "init":
        return;
      case "subscribe":
        if (frame.testobjectId !== undefined && frame.roomId === undefined)
          this.listen(socket, objectTopic(frame.testobjectId), { testobjectId: frame.testobjectId });
        else
          this.withRoom(socket, frame.roomId ?? defaultRoom, (roomId) =>
            this.listen(socket, roomTopic(roomId), { roomId }),
          );
        return;
      case "unsubscribe":
        if (frame.testobjectId !== undefined && frame.roomId === undefined) {
          this.topics.remove(socket, objectTopic(frame.testobjectId));
          this.events.forget(socket, frame.testobjectId);
          sendFrame(socket, { type: "unsubscribed", testobjectId: frame.testobjectId });
        } else {
          this.withRoom(socket, frame.roomId ?? defaultRoom, (roomId) => {
            this.topics.remove(socket, roomTopic(roomId));
            this.held.get(socket)?.delete(roomId);
            sendFrame(socket, { type: "unsubscribed", roomId });
          });
        }
        return;
      case "freshsubscribe": {
        const roomId = frame.roomId ?? defaultRoom;
        if (roomId === null) this.withRoom(socket, roomId, () => undefined);
        else if (this.listen(socket, roomTopic(roomId), { roomId })) await this.sendHistory(socket, roomId);
        return;
      }
      default:
        assertNever(frame);
    }
  }

  private withRoom(socket: Socket, roomId: string | null, act: (roomId: string) => void): void {
    if (roomId !== null) act(roomId);
    else
      sendFrame(socket, {
        type: "error",
        message: "The frame names nothing to listen to. Send a testobjectId or a roomId.",
      });
  }

  private listen(socket: Socket, topic: string, what: { testobjectId: string } | { roomId: string }): boolean {
    const added = this.topics.add(socket, topic);
    sendFrame(
      socket,
      added
        ? { type: "subscribed", ...what }
        : {
            type: "error",
            message: `One connection may listen to ${topicsMax} things at most. Unsubscribe from some first.`,
          },
    );
    return added;
  }

  /**
   * Sends the history first, then the lines that came while it was being read, then new ones. A socket that asks again before the
   * history arrived gets it once.
   */
  private async sendHistory(socket: Socket, roomId: string): Promise<void> {
    if (this.held.get(socket)?.has(roomId)) return;
    if (isSlow(socket))
      return sendFrame(socket, {
        type: "error",
        message:
          "The earlier lines are not sent: read what was sent before, and subscribe again. New ones will follow.",
      });
    const rooms = this.held.get(socket) ?? new Map<string, JobLine[]>();
    this.held.set(socket, rooms.set(roomId, []));
    let known: JobLine[] = [];
    try {
      known = (await this.readHistory()).filter((line) => isInRoom(line, roomId));
      // the socket may have unsubscribed meanwhile
      if (rooms.has(roomId))
        sendFrame(socket, {
          type: "console:history",
          payload: { text: known.map((line) => JSON.stringify(line)).join("\n") },
        });
    } catch {
      sendFrame(socket, {
        type: "error",
        message:
          "The earlier lines cannot be read at the moment; new ones will follow. Subscribe again to try once more.",
      });
    }
    this.tellLines();
    const ids = new Set(known.map((line) => line.id));
    const waited = rooms.get(roomId) ?? [];
    rooms.delete(roomId);
    if (rooms.size === 0) this.held.delete(socket);
    for (const line of waited) if (!ids.has(line.id)) sendFrame(socket, { type: "job:log", payload: line });
  }

  private readHistory(): Promise<JobLine[]> {
    return this.share("history", () => this.bus.logHistory(limits.consoleLinesKept));
  }

  private pushLine(line: JobLine): void {
    this.lines.push(line);
    if (this.cancelLines === null) this.tellAndPause();
  }

  private tellAndPause(): void {
    this.cancelLines = null;
    if (this.lines.length === 0) return;
    this.tellLines();
    this.cancelLines = this.clock.after(linesEveryMs, () => this.tellAndPause());
  }

  private tellLines(): void {
    if (this.lines.length === 0) return;
    const told = this.lines.map((line) => ({
      line,
      frame: textFrame(JSON.stringify({ type: "job:log", payload: line })),
    }));
    this.lines = [];
    this.tellRoom(limits.consoleDefaultRoom, told);
    for (const [jobId, ofJob] of Map.groupBy(told, ({ line }) => line.jobId)) this.tellRoom(jobId, ofJob);
  }

  private tellRoom(room: string, told: readonly { line: JobLine; frame: Buffer }[]): void {
    let frames: Buffer | null = null;
    for (const socket of this.topics.of(roomTopic(room))) {
      const waiting = this.held.get(socket)?.get(room);
      if (waiting === undefined)
        sendPrepared(socket, (frames ??= Buffer.concat(told.map(({ frame }) => frame))), this.write, true);
      else for (const { line } of told) if (waiting.length < heldMax) waiting.push(line);
    }
  }
}

/** Whether a line belongs to a room: the default room has all lines, any other room is named after its job. */
function isInRoom(line: JobLine, roomId: string): boolean {
  return roomId === limits.consoleDefaultRoom || line.jobId === roomId;
}
