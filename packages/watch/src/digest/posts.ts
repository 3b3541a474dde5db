import type { Digest, DigestSection, ToldPage } from "@web-tester/contracts/entities/digest";
import { escapeHtml, oneLine, webLink } from "./clean.js";
import { outlineOf, type OutlineLine } from "./outline.js";
import { subject } from "./sentence.js";

/** The body of a request, and what its head says beside. */
export interface Post {
  body: string;
  headers: Record<string, string>;
}

const json = (value: unknown): Post => ({
  body: JSON.stringify(value),
  headers: { "content-type": "application/json" },
});

const payloadPages = 5;
const payloadSections = 5;

/** A digest as programs get it, bounded as mails are. */
export function toWebhook(digest: Digest): Post {
  const sections = digest.sections.slice(0, payloadSections).map(shortened);
  return json({ type: "digest", timestamp: digest.time, data: { ...digest, sections, sentence: subject(digest) } });
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

/** Lines of a message in the markup of a service, as many as it takes. */
function written(digest: Digest, max: number, write: (line: OutlineLine) => string): string {
  let left = max;
  const lines = outlineOf(digest)
    .map(write)
    .filter((line) => (left -= line.length + 1) >= 0);
  return lines.join("\n");
}

/* Slack: only these three are special; <!everyone>, <@U1> and links need a "<". */
const slackText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function toSlack(digest: Digest): Post {
  const text = written(digest, 2_900, ({ kind, text: said, link }) => {
    // the signs of its markup would make pages speak in bold, and the bar ends the address of a link
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

/** Signs that make markup, links and mentions in the dialects of Markdown, each made a letter by a backslash. */
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

export const toDiscord = (digest: Digest): Post =>
  json({
    content: written(digest, 1_900, markdownLine),
    allowed_mentions: { parse: [] },
    flags: 4, // no previews of what is linked
  });

export const toMattermost = (digest: Digest): Post => json({ text: written(digest, 10_000, markdownLine) });

/** For a workflow that posts what it receives as an adaptive card. */
export function toTeams(digest: Digest): Post {
  const texts = outlineOf(digest)
    .slice(0, 60)
    .map((line) => ({
      type: "TextBlock",
      wrap: true,
      text: markdownLine(line),
      ...(line.kind === "heading" ? { weight: "Bolder", size: "Medium" } : {}),
    }));
  const card = { type: "AdaptiveCard", version: "1.4", body: texts };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content: card };
  return json({ type: "message", summary: subject(digest), attachments: [attachment] });
}

/** ntfy: the address names the topic; the text is plain. */
export function toNtfy(digest: Digest): Post {
  const link = webLink(digest.sections[0]?.run?.link ?? digest.sections[0]?.object.link ?? "");
  const encoded = `=?UTF-8?B?${Buffer.from(subject(digest)).toString("base64")}?=`;
  return {
    body: written(digest, 3_900, ({ kind, text }) => marked(kind, text)),
    headers: { "content-type": "text/plain; charset=utf-8", title: encoded, ...(link === null ? {} : { click: link }) },
  };
}

export function toTelegram(digest: Digest, chat: string): Post {
  const text = written(digest, 3_900, ({ kind, text: said, link }) => {
    const plain = escapeHtml(said);
    const shown = link === null ? plain : `<a href="${escapeHtml(link)}">${plain}</a>`;
    return kind === "heading" ? `<b>${shown}</b>` : marked(kind, shown);
  });
  return json({ chat_id: chat, text, parse_mode: "HTML", link_preview_options: { is_disabled: true } });
}
