import { randomUUID } from "node:crypto";
import { Controller, Inject } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { Channel, ChannelInput, ChannelKind } from "@web-tester/contracts/entities/notifications";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import {
  type ChannelRow,
  deleteChannel,
  lockChannel,
  putChannel,
  selectChannel,
  selectChannels,
} from "@web-tester/records/channels/channels";
import { type ChannelFailing, selectFailing } from "@web-tester/records/deliveries/failing-channels";
import { checkTemplate } from "@web-tester/watch/digest/template";
import { Webhook } from "standardwebhooks";
import { Handles, Parsed } from "../http/handles.js";
import { notFound } from "../http/not-found.js";
import { invalidInput } from "../http/parse-input.js";
import { DB } from "../parts.js";
import { type ChannelSecret, newSigningSecret, openChannel, sealChannel } from "./channel-secret.js";
import { exampleDigest } from "./example-digest.js";
import { sendDigest } from "./sender.js";
import { SENDING, type SendingParts } from "./sending-parts.js";

const channelsMax = 200;
/** The longest that a test of a channel may take, since somebody waits for it. */
const testMs = 30_000;

/** Manages channels, which say where messages go, and tests them. */
@Controller()
export class ChannelsController {
  constructor(
    @Inject(DB) private readonly db: Database,
    @Inject(SENDING) private readonly sending: SendingParts,
  ) {}

  @Handles("listChannels")
  async list(): Promise<Response<"listChannels">> {
    const [channels, failing] = await Promise.all([selectChannels(this.db), selectFailing(this.db, null)]);
    return { items: channels.map((row) => toChannel(row, failing)) };
  }

  @Handles("createChannel")
  async create(@Parsed() { body }: Input<"createChannel">): Promise<Response<"createChannel">> {
    if ((await selectChannels(this.db)).length >= channelsMax)
      throw new AppError("conflict", `There are ${channelsMax} channels already. Remove some first.`);
    const { kind, name, enabled, url = "" } = body;
    const made = kind === "webhook" && body.secret === undefined ? newSigningSecret() : null;
    const secret = {
      url: url === "" && kind === "telegram" ? "https://api.telegram.org" : url,
      secret: body.secret ?? made ?? "",
    };
    requireRight(body, secret);
    const id = randomUUID();
    const { to, chat, template } = body;
    const row = { id, kind, name, settings: { to, chat, template }, host: hostOf(secret), enabled, fault: null };
    const kept = await putChannel(this.db, { ...row, sealed: sealChannel(this.sending.secrets, id, secret) });
    return { ...toChannel(kept, new Map()), secret: made };
  }

  @Handles("updateChannel")
  async update(@Parsed() { params, body }: Input<"updateChannel">): Promise<Response<"updateChannel">> {
    return this.db.transaction(async (tx) => {
      // locked, so that this does not undo changes that somebody else makes at the same time, or the fault that a receiver's refusal has set
      const old = await lockChannel(tx, params.id);
      if (old === null) throw notFound("channel", params.id);
      const kept = await putChannel(tx, this.changed(old, body));
      return toChannel(kept, await selectFailing(tx, old.id));
    });
  }

  @Handles("deleteChannel")
  async remove(@Parsed() { params }: Input<"deleteChannel">): Promise<Response<"deleteChannel">> {
    if (!(await deleteChannel(this.db, params.id))) throw notFound("channel", params.id);
    return { deleted: 1 };
  }

  @Handles("testChannel")
  async test(@Parsed() { params }: Input<"testChannel">): Promise<Response<"testChannel">> {
    const channel = await this.require(params.id);
    const { ok, status, answer } = await sendDigest(
      this.sending,
      channel,
      exampleDigest(this.sending.publicUrl),
      AbortSignal.timeout(testMs),
    );
    return { ok, status, answer };
  }

  /**
   * Applies a change to a channel.
   * @throws AppError invalid_input
   */
  private changed(old: ChannelRow, body: Input<"updateChannel">["body"]): Omit<ChannelRow, "createdAt"> {
    const known = openChannel(this.sending.secrets, old.id, old.sealed);
    const { url = known.url } = body;
    const kept = isTold(old.kind) && isElsewhere(url, known.url) ? "" : known.secret;
    const secret = { url, secret: body.secret ?? kept };
    const { to = old.settings.to, chat = old.settings.chat, template = old.settings.template } = body;
    const settings = { to, chat, template };
    requireRight({ kind: old.kind, ...settings }, secret);
    const { name = old.name, enabled = old.enabled } = body;
    return {
      ...{ id: old.id, kind: old.kind, name, settings, enabled, host: hostOf(secret) },
      // a channel that is switched on again gets another chance
      fault: body.enabled === true ? null : old.fault,
      sealed: sealChannel(this.sending.secrets, old.id, secret),
    };
  }

  private async require(id: string): Promise<ChannelRow> {
    const row = await selectChannel(this.db, id);
    if (row === null) throw notFound("channel", id);
    return row;
  }
}

/** Whether the secret is a token that is sent to the receiver; other kinds only sign with it. */
const isTold = (kind: ChannelKind) => kind === "ntfy" || kind === "telegram";

/** Whether an address is on another server: a token that was meant for one must not be sent to another. */
const isElsewhere = (url: string, known: string) => URL.parse(url)?.origin !== URL.parse(known)?.origin;

const needsAddress = (kind: ChannelKind) => kind !== "email";

/**
 * Checks that a channel has what its kind needs.
 * @throws AppError invalid_input in words for whoever wrote it
 */
function requireRight(
  { kind, to, chat, template }: Pick<ChannelInput, "kind" | "to" | "chat" | "template">,
  { url, secret }: ChannelSecret,
): void {
  const fault = (field: string, message: string) => invalidInput([{ path: `body.${field}`, message }]);
  if (kind === "email" && to.length === 0) throw fault("to", "name who gets the mails");
  if (needsAddress(kind) && url === "") throw fault("url", "say where it is sent");
  if (kind === "telegram" && (chat === "" || secret === "")) throw fault("chat", "name the chat, and the bot's token");
  if (kind === "template") {
    const problem = checkTemplate(template);
    if (problem !== null) throw fault("template", problem);
  }
  if ((kind === "webhook" || kind === "template") && secret !== "" && !canSign(secret))
    throw fault("secret", "a signing secret is whsec_ and then base64; leave it out to have one made");
}

function canSign(secret: string): boolean {
  try {
    return secret.startsWith("whsec_") && new Webhook(secret).sign("a", new Date(0), "") !== "";
  } catch {
    return false;
  }
}

const hostOf = ({ url }: ChannelSecret): string | null => URL.parse(url)?.host ?? null;

function toChannel(
  { id, kind, name, settings, host, enabled, fault, createdAt }: ChannelRow,
  allFailing: ReadonlyMap<string, ChannelFailing>,
): Channel {
  const how = allFailing.get(id);
  const failing = how === undefined ? null : { ...how, since: how.since.toISOString() };
  return { id, kind, name, ...settings, host, enabled, fault, failing, created_at: createdAt.toISOString() };
}
