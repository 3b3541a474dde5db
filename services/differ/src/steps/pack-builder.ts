import { on } from "node:events";
import { resolve } from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { PackSections } from "@web-tester/records/search/search-segments";
import { Piscina } from "piscina";
import { type Document, packDocuments } from "../pure/packed-documents.js";
import type { MergedPack, PackTask } from "./pack-worker.js";

/**
 * Makes packs of searchable text in a worker thread of its own. The input is consumed part by part, one ahead, so that
 * little of it is in memory; where reading a part throws, the method rejects.
 */
export interface PackBuilder {
  build(contents: AsyncIterable<readonly Document[]>): Promise<PackSections>;
  merge(packs: AsyncIterable<MergedPack>): Promise<PackSections>;
  close(): Promise<void>;
}

export function createPackBuilder(): PackBuilder {
  const pool = new Piscina<PackTask, PackSections>({
    filename: resolve(import.meta.dirname, "pack-worker.js"),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 5_000,
    // for the texts of the largest page; the text of a pack lies outside of the heap
    resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 },
  });

  async function run<Part>(
    kind: PackTask["kind"],
    parts: AsyncIterable<Part>,
    send: (port: MessagePort, part: Part, room: ArrayBuffer | null) => void,
  ): Promise<PackSections> {
    const { port1: port, port2: parts2 } = new MessageChannel();
    const [handed, made] = await Promise.allSettled([
      handParts(port, parts, send),
      pool.run({ kind, parts: parts2 }, { transferList: [parts2] }).finally(() => port.close()),
    ]);
    if (handed.status === "rejected") throw handed.reason;
    if (made.status === "rejected") throw made.reason;
    return made.value;
  }

  return {
    build: (contents) =>
      run("build", contents, (port, documents, room) => {
        const packed = packDocuments(documents, room);
        port.postMessage(packed, [packed.bytes]);
      }),
    merge: (packs) => run("merge", packs, (port, pack) => port.postMessage(pack)),
    close: () => pool.close(),
  };
}

/** Sends a part whenever the worker asks for one, and null after the last; where a part cannot be read, the port is closed. */
async function handParts<Part>(
  port: MessagePort,
  parts: AsyncIterable<Part>,
  send: (port: MessagePort, part: Part, room: ArrayBuffer | null) => void,
): Promise<void> {
  const asking = on(port, "message", { close: ["close"] });
  try {
    for await (const part of parts) {
      const asked = await asking.next();
      if (asked.done === true) return;
      // see `PackTask`
      const [room] = asked.value as [ArrayBuffer | null];
      send(port, part, room);
    }
  } catch (error) {
    port.close();
    throw error;
  }
  if ((await asking.next()).done !== true) port.postMessage(null);
}
