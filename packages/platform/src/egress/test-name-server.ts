import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** The answer of a test's name server to one question. */
export interface NameAnswer {
  /** Default 0; 3: there is no such name. */
  rcode?: number;
  /** In the order of the message. `name`: default the name that was asked for. `data`: an address, or the target of a CNAME. */
  records?: { type: "A" | "AAAA" | "CNAME"; data: string; name?: string; ttl?: number }[];
  /** Over UDP: sets the truncation flag, so that the client asks again over TCP. */
  isCut?: boolean;
  /** Answers with the id of another question. */
  isForeign?: boolean;
  /** Answers as if to a question for this name. */
  asIfFor?: string;
  afterMs?: number;
}

export interface NameServer {
  /** Its address, as `NamesOptions.servers` takes it. */
  address: string;
  /** The questions so far: `A name` or `AAAA name`, followed by `tcp` when it came over TCP. */
  asked: string[];
  close(): Promise<void>;
}

const numbers = { A: 1, CNAME: 5, AAAA: 28 } as const;

/** Starts a name server on loopback, UDP and TCP (RFC 1035). @param answer returns null to stay silent */
export async function startNameServer(
  answer: (name: string, type: "A" | "AAAA", isTcp: boolean) => NameAnswer | null,
): Promise<NameServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();

  const reply = replier(answer, asked);
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    eachQuestion(socket, (question, send) => reply(question, true, send));
  });
  tcp.listen(0, "127.0.0.1");
  await once(tcp, "listening");
  const port = portOf(tcp);
  const udp = createSocket("udp4");
  let isOpen = true;
  udp.on("message", (question, from) =>
    reply(question, false, (message) => {
      if (isOpen) udp.send(message, from.port, from.address);
    }),
  );
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  return {
    address: `127.0.0.1:${port}`,
    asked,
    async close() {
      isOpen = false;
      udp.close();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
}

function portOf(server: Server): number {
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? bound.port : 0;
}

type Reply = (question: Buffer, isTcp: boolean, send: (message: Buffer) => void) => void;

function replier(answer: Parameters<typeof startNameServer>[0], asked: string[]): Reply {
  return (question, isTcp, send) => {
    const { name, number, end } = readQuestion(question);
    const type = number === numbers.AAAA ? "AAAA" : "A";
    asked.push(`${type} ${name}${isTcp ? " tcp" : ""}`);
    const said = answer(name, type, isTcp);
    if (said === null) return;
    const message = write(question, end, name, said, isTcp);
    if (said.afterMs === undefined) send(message);
    else setTimeout(() => send(message), said.afterMs).unref();
  };
}

/** Splits a TCP connection into questions: each message is preceded by its length. */
function eachQuestion(socket: Socket, ask: (question: Buffer, send: (message: Buffer) => void) => void): void {
  const send = (message: Buffer) => {
    if (socket.destroyed) return;
    const head = Buffer.alloc(2);
    head.writeUInt16BE(message.length);
    socket.write(Buffer.concat([head, message]));
  };
  let came = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    came = Buffer.concat([came, chunk]);
    while (came.length >= 2 && came.length >= 2 + came.readUInt16BE(0)) {
      const length = came.readUInt16BE(0);
      ask(came.subarray(2, 2 + length), send);
      came = came.subarray(2 + length);
    }
  });
}

function readQuestion(message: Buffer): { name: string; number: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), number: message.readUInt16BE(at + 1), end: at + 5 };
}

function write(question: Buffer, end: number, name: string, said: NameAnswer, isTcp: boolean): Buffer {
  const isCut = said.isCut === true && !isTcp;
  const records = isCut ? [] : (said.records ?? []);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(question.readUInt16BE(0) ^ (said.isForeign === true ? 0x5555 : 0));
  head.writeUInt16BE(0x8180 | (isCut ? 0x0200 : 0) | (said.rcode ?? 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  const repeated =
    said.asIfFor === undefined
      ? question.subarray(12, end)
      : Buffer.concat([writeName(said.asIfFor), question.subarray(end - 4, end)]);
  return Buffer.concat([
    head,
    repeated,
    ...records.flatMap(({ type, data, name: owner = name, ttl = 60 }) => {
      const bytes = type === "CNAME" ? writeName(data) : writeAddress(data);
      const fixed = Buffer.alloc(10);
      fixed.writeUInt16BE(numbers[type]);
      fixed.writeUInt16BE(1, 2);
      fixed.writeUInt32BE(ttl, 4);
      fixed.writeUInt16BE(bytes.length, 8);
      return [writeName(owner), fixed, bytes];
    }),
  ]);
}

function writeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** Accepts IPv6 addresses in full or with one `::`. */
function writeAddress(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => "0"), ...groups(tail)];
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}
