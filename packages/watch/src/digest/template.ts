import type { Digest } from "@web-tester/contracts/entities/digest";
import { oneLine } from "./clean.js";
import type { Post } from "./posts.js";
import { sentence, subject } from "./sentence.js";
import { toText } from "./mail.js";

type Field = (digest: Digest) => string;

const first = (digest: Digest) => digest.sections[0];
const sum = (digest: Digest, of: (section: Digest["sections"][number]) => number) =>
  String(digest.sections.reduce((all, section) => all + of(section), 0));

/** The placeholders of templates; a map, because a plain object has further names, such as `constructor`. */
const fields: ReadonlyMap<string, Field> = new Map(
  Object.entries<Field>({
    id: ({ id }) => id,
    time: ({ time }) => time,
    subject,
    sentence: (digest) => digest.sections.map(sentence).join(" · "),
    text: toText,
    object: (digest) => oneLine(first(digest)?.object.name ?? "", 200),
    url: (digest) => first(digest)?.object.url ?? "",
    link: (digest) => first(digest)?.run?.link ?? first(digest)?.object.link ?? "",
    changed: (digest) => sum(digest, (section) => section.changed),
    new: (digest) => sum(digest, (section) => section.new.total),
    gone: (digest) => sum(digest, (section) => section.gone.total),
    failing: (digest) => sum(digest, (section) => section.failing.total),
    recovered: (digest) => sum(digest, (section) => section.recovered.total),
  }),
);

const named = /\{\{\s*([\w-]+)\s*\}\}/g;

/** Returns what is wrong with a template, as a sentence; null when it is valid. */
export function checkTemplate(template: string): string | null {
  if (template.trim() === "") return 'A template says what is sent, such as {"text": "{{sentence}}"}';
  const unknown = [...template.matchAll(named)].map(([, name = ""]) => name).find((name) => !fields.has(name));
  return unknown === undefined
    ? null
    : `There is no {{${oneLine(unknown, 40)}}}; there are ${[...fields.keys()]
        .map((name) => `{{${name}}}`)
        .join(", ")}`;
}

/** Fills in a template: if it is JSON, values are escaped for JSON, so that no page can end a string. */
export function fromTemplate(template: string, digest: Digest): Post {
  // a text that begins with a placeholder is none: no JSON begins with two braces
  const isJson = /^\s*(?:\[|\{(?!\{))/.test(template);
  const body = template.replaceAll(named, (_, name: string) => {
    const value = fields.get(name)?.(digest) ?? "";
    return isJson ? JSON.stringify(value).slice(1, -1) : value;
  });
  return { body, headers: { "content-type": isJson ? "application/json" : "text/plain; charset=utf-8" } };
}
