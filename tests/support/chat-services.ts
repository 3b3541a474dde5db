import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** The services that notifications go to, imitated as strictly as the documentation of each describes them. */
export type ChatService = "slack" | "discord" | "teams" | "mattermost" | "ntfy" | "telegram";

interface Asked {
  body: Buffer;
  headers: IncomingHttpHeaders;
  path: string;
}

/** How a service reads a request: the text that it shows, or the answer by which it refuses. */
type Read = { text: string } | { status: number; answer: string };

const jsonOf = ({ body }: Asked): unknown => {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
};
const letters = (text: string) => [...text].length;

const slackBody = z.object({
  text: z.string().min(1).max(40_000),
  blocks: z
    .array(
      z.object({
        type: z.literal("section"),
        text: z.object({ type: z.literal("mrkdwn"), text: z.string().min(1).max(3_000) }),
      }),
    )
    .max(50),
});
const discordBody = z.object({
  content: z
    .string()
    .min(1)
    .refine((text) => letters(text) <= 2_000),
  allowed_mentions: z.object({ parse: z.array(z.enum(["roles", "users", "everyone"])) }),
  flags: z.int(),
});
const teamsBody = z.object({
  type: z.literal("message"),
  attachments: z
    .array(
      z.object({
        contentType: z.literal("application/vnd.microsoft.card.adaptive"),
        content: z.object({
          type: z.literal("AdaptiveCard"),
          version: z.string(),
          body: z.array(z.object({ type: z.literal("TextBlock"), text: z.string() })).min(1),
        }),
      }),
    )
    .length(1),
});
const mattermostBody = z.object({
  text: z
    .string()
    .min(1)
    .refine((text) => letters(text) <= 16_383),
});
const telegramBody = z.object({ chat_id: z.string().min(1), text: z.string().min(1), parse_mode: z.literal("HTML") });

const readers: Readonly<Record<ChatService, (asked: Asked) => Read>> = {
  slack(asked) {
    const { data } = slackBody.safeParse(jsonOf(asked));
    return data === undefined
      ? { status: 400, answer: "invalid_blocks" }
      : { text: data.blocks.map(({ text }) => text.text).join("\n") };
  },
  discord(asked) {
    const { data } = discordBody.safeParse(jsonOf(asked));
    return data === undefined
      ? { status: 400, answer: '{"message": "Invalid Form Body", "code": 50035}' }
      : { text: data.content };
  },
  teams(asked) {
    if (asked.body.length > 28 * 1024) return { status: 413, answer: "Request Entity too large." };
    const { data } = teamsBody.safeParse(jsonOf(asked));
    return data === undefined
      ? { status: 400, answer: "Bad payload received by generic incoming webhook." }
      : { text: (data.attachments[0]?.content.body ?? []).map(({ text }) => text).join("\n") };
  },
  mattermost(asked) {
    const { data } = mattermostBody.safeParse(jsonOf(asked));
    return data === undefined
      ? { status: 400, answer: '{"id": "web.incoming_webhook.text.app_error", "status_code": 400}' }
      : { text: data.text };
  },
  ntfy({ body, headers }) {
    const title = /^=\?UTF-8\?B\?(.*)\?=$/.exec(String(headers["title"] ?? ""))?.[1];
    // a longer text would arrive as a file, which nobody reads
    if (body.length > 4_096 || title === undefined) return { status: 400, answer: '{"code": 40001, "http": 400}' };
    return { text: `${Buffer.from(title, "base64").toString("utf8")}\n${body.toString("utf8")}` };
  },
  telegram(asked) {
    const refuse = (why: string) => ({
      status: 400,
      answer: JSON.stringify({ ok: false, error_code: 400, description: why }),
    });
    if (!/^\/telegram\/bot[^/]+\/sendMessage$|^\/bot[^/]+\/sendMessage$/.test(asked.path)) return refuse("Not Found");
    const { data } = telegramBody.safeParse(jsonOf(asked));
    if (data === undefined) return refuse("Bad Request: message text is empty");
    const shown = data.text.replaceAll(/<\/?b>|<a href="[^"]*">|<\/a>/g, "");
    if (/[<>]/.test(shown)) return refuse("Bad Request: can't parse entities");
    return letters(shown) > 4_096 ? refuse("Bad Request: message is too long") : { text: shown };
  },
};

const done: Readonly<Record<ChatService, readonly [status: number, body: string]>> = {
  slack: [200, "ok"],
  discord: [204, ""],
  teams: [202, ""],
  mattermost: [200, "ok"],
  ntfy: [200, '{"id": "x", "event": "message"}'],
  telegram: [200, '{"ok": true, "result": {"message_id": 1}}'],
};

/** Answers like a service that accepts nothing more for some seconds. */
function tooMany(service: ChatService, seconds: number, response: ServerResponse): void {
  const said: Readonly<Record<ChatService, readonly [body: string, headers: Record<string, string>]>> = {
    slack: ["rate_limited", { "retry-after": String(seconds) }],
    discord: [JSON.stringify({ message: "You are being rate limited.", retry_after: seconds, global: false }), {}],
    teams: ["", { "retry-after": String(seconds) }],
    mattermost: ["", { "retry-after": String(seconds) }],
    ntfy: ['{"code": 42901, "http": 429, "error": "limit reached"}', {}],
    telegram: [JSON.stringify({ ok: false, error_code: 429, parameters: { retry_after: seconds } }), {}],
  };
  const [body, headers] = said[service];
  response.writeHead(429, headers).end(body);
}

/** Starts all services at one address, each below its name (Telegram at the root, because its path is made from the token). */
export async function startChatServices() {
  const shown: { service: ChatService; text: string; at: number }[] = [];
  const refused: string[] = [];
  /** How long a service refuses with 429 once it is asked; `untilMs` is null before. */
  const busy = new Map<ChatService, { seconds: number; untilMs: number | null; asked: number }>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = request.url ?? "";
      const name = path.startsWith("/bot") ? "telegram" : path.split("/")[1];
      const service = z.enum(["slack", "discord", "teams", "mattermost", "ntfy", "telegram"]).parse(name);
      const limit = busy.get(service);
      const untilMs = limit === undefined ? 0 : (limit.untilMs ??= Date.now() + limit.seconds * 1_000);
      if (limit !== undefined && Date.now() < untilMs) {
        limit.asked++;
        return tooMany(service, Math.ceil((untilMs - Date.now()) / 1_000), response);
      }
      const read = readers[service]({ body: Buffer.concat(parts), headers: request.headers, path });
      if ("status" in read) {
        refused.push(`${service}: ${read.answer}`);
        response.writeHead(read.status).end(read.answer);
        return;
      }
      shown.push({ service, text: read.text, at: Date.now() });
      const [status, body] = done[service];
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    shown,
    refused,
    /** Makes a service refuse everything for some seconds from the first message on, however late that comes on a busy machine. */
    refuse: (service: ChatService, seconds: number) => void busy.set(service, { seconds, untilMs: null, asked: 0 }),
    /** How often a service was asked while it refused. */
    askedInVain: (service: ChatService) => busy.get(service)?.asked ?? 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type ChatServices = Awaited<ReturnType<typeof startChatServices>>;
