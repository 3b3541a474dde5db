import type { Digest, DigestSection, ToldPage } from "@web-tester/contracts/entities/digest";
import { escapeHtml, oneLine, webLink } from "./clean.js";
import { outlineOf, type OutlineLine } from "./outline.js";
import { subject } from "./sentence.js";

/** The body and headers of a request. */
export interface Post {
  body: string;
  headers: Record<string, string>;
}

const json = (value: unknown): Post => ({
  body: JSON.stringify(value),
  headers: { "content-type": "application/json" },
});

const payloadPages = 5;
/** The most runs whose findings a message to a program has. */
export const payloadSections = 5;

/** Formats a digest for programs, limited like mails: what is left out is counted. */
export function toWebhook(digest: Digest): Post {
  const sections = digest.sections.slice(0, payloadSections).map(shortened);
  const counts = { sections_total: digest.sections.length };
  const data = { ...digest, sections, ...counts, sentence: subject(digest) };
  return json({ type: "digest", timestamp: digest.time, data });
}

function shortened(section: DigestSection): DigestSection {
  const few = (kind: "new" | "gone" | "moved" | "unlinked" | "failing" | "recovered") => ({
    total: section[kind].total,
    pages: section[kind].pages.slice(0, payloadPages).map(shortPage),
  });
  return {
    ...section,
    object: { ...section.object, name: oneLine(section.object.name, 120) },
    groups: section.groups.slice(0, payloadPages).map((group) => ({
      ...group,
      removed: oneLine(group.removed, 200),
      added: oneLine(group.added, 200),
      sample: shortPage(group.sample),
    })),
    notes: section.notes.slice(0, payloadPages).map((note) => oneLine(note, 200)),
    ...{ new: few("new"), gone: few("gone"), moved: few("moved"), unlinked: few("unlinked") },
    ...{ failing: few("failing"), recovered: few("recovered") },
  };
}

const shortPage = (page: ToldPage): ToldPage => ({
  ...page,
  path: oneLine(page.path, 200),
  url: page.url.slice(0, 300),
  link: webLink(page.link) ?? "",
  said: oneLine(page.said, 200),
});

const cutMark = "…";

/**
 * Formats the lines of a message in the markup of a service, as many as fit; a last one says that there are more. @param size returns the
 * length of a line as the service counts it
 */
function written<T>(
  digest: Digest,
  max: number,
  write: (line: OutlineLine) => T,
  size: (line: T) => number,
  more: T,
): T[] {
  let left = max - size(more);
  const all = outlineOf(digest).map(write);
  const lines = all.filter((line) => (left -= size(line)) >= 0);
  return lines.length < all.length ? [...lines, more] : lines;
}

const writtenText = (digest: Digest, max: number, write: (line: OutlineLine) => string, size = lettersOf): string =>
  written(digest, max, write, size, cutMark).join("\n");
const lettersOf = (line: string) => line.length + 1;
const bytesOf = (line: string) => Buffer.byteLength(line) + 1;

/* Slack: only these three characters are special; <!everyone>, <@U1> and links need a "<". */
const slackText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Formats a digest for Slack; a section may have 3,000 characters, including markup. */
export function toSlack(digest: Digest): Post {
  const text = writtenText(digest, 2_900, ({ kind, text: said, link }) => {
    // its markup characters would let pages write bold text, and a bar ends the address of a link
    const plain = slackText(said).replaceAll(/[*_~`|]/g, " ");
    const shown = link === null ? plain : `<${slackText(link).replaceAll("|", "%7C")}|${plain}>`;
    return kind === "heading" ? `*${shown}*` : marked(kind, shown);
  });
  return json({
    text: slackText(subject(digest)),
    unfurl_links: false,
    blocks: [{ type: "section", text: { type: "mrkdwn", text, verbatim: true } }],
  });
}

/** Escapes characters that make markup, links and mentions in the dialects of Markdown. */
const markdownText = (text: string) =>
  text.replaceAll(/[\\`*_{}[\]()<>#+\-.!|~:]/g, String.raw`\$&`).replaceAll("@", "@\u200b");
const markdownLink = (text: string, link: string | null) =>
  link === null ? text : `[${text}](<${link.replaceAll(/[<>]/g, encodeURIComponent)}>)`;
const markdownLine = ({ kind, text, link }: OutlineLine) => {
  const shown = markdownLink(markdownText(text), link);
  return kind === "heading" ? `**${shown}**` : marked(kind, shown);
};

function marked(kind: OutlineLine["kind"], shown: string): string {
  if (kind === "removed") return `− ${shown}`;
  if (kind === "added") return `+ ${shown}`;
  return kind === "group" || kind === "page" ? `• ${shown}` : shown;
}

/** Formats a digest for Discord, which accepts 2,000 characters. */
export const toDiscord = (digest: Digest): Post =>
  json({
    content: writtenText(digest, 1_900, markdownLine),
    allowed_mentions: { parse: [] },
    flags: 4, // no link previews
  });

/** Formats a digest for Mattermost, which accepts 16,383 characters; old releases split posts after 4,000. */
export const toMattermost = (digest: Digest): Post => json({ text: writtenText(digest, 10_000, markdownLine) });

/** A message may have 28 KB, including its envelope. */
const teamsMaxBytes = 24_000;

/** Formats a digest for a Teams workflow that posts what it receives as an adaptive card. */
export function toTeams(digest: Digest): Post {
  const block = (text: string) => ({ type: "TextBlock", wrap: true, text });
  const texts = written<object>(
    digest,
    teamsMaxBytes,
    (line) => ({
      ...block(markdownLine(line)),
      ...(line.kind === "heading" ? { weight: "Bolder", size: "Medium" } : {}),
    }),
    (line) => Buffer.byteLength(JSON.stringify(line)) + 1,
    block(cutMark),
  );
  const card = { type: "AdaptiveCard", version: "1.4", body: texts };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content: card };
  return json({ type: "message", summary: subject(digest), attachments: [attachment] });
}

/** Formats a digest for ntfy: the address names the topic; the text is plain. */
export function toNtfy(digest: Digest): Post {
  const link = webLink(digest.sections[0]?.run?.link ?? digest.sections[0]?.object.link ?? "");
  const encoded = `=?UTF-8?B?${Buffer.from(subject(digest)).toString("base64")}?=`;
  return {
    // more than 4,096 bytes would become an attached file
    body: writtenText(digest, 4_000, ({ kind, text }) => marked(kind, text), bytesOf),
    headers: { "content-type": "text/plain; charset=utf-8", title: encoded, ...(link === null ? {} : { click: link }) },
  };
}

/** Formats a digest for Telegram, which accepts 4,096 characters, not counting markup. */
export function toTelegram(digest: Digest, chat: string): Post {
  const text = writtenText(digest, 3_900, ({ kind, text: said, link }) => {
    const plain = escapeHtml(said);
    const shown = link === null ? plain : `<a href="${escapeHtml(link)}">${plain}</a>`;
    return kind === "heading" ? `<b>${shown}</b>` : marked(kind, shown);
  });
  return json({ chat_id: chat, text, parse_mode: "HTML", link_preview_options: { is_disabled: true } });
}
