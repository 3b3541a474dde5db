import { randomUUID } from "node:crypto";
import type { Digest, ToldPages } from "@web-tester/contracts/entities/digest";

/** The digest that a test of a channel sends. */
export function exampleDigest(publicUrl: string): Digest {
  const now = new Date().toISOString();
  const sample = { path: "/prices", url: "https://example.com/prices", link: publicUrl, said: "" };
  const none: ToldPages = { total: 0, pages: [] };
  return {
    id: randomUUID(),
    time: now,
    sections: [
      {
        object: {
          id: randomUUID(),
          name: "Example, to try this channel",
          url: "https://example.com/",
          link: publicUrl,
        },
        run: null,
        changed: 3,
        groups_total: 1,
        groups: [{ pages: 3, removed: "from 9.90 a month", added: "from 10.90 a month", sample }],
        ...{ new: none, gone: none, moved: none, unlinked: none, failing: none, recovered: none },
        strange: [],
        notes: [],
      },
    ],
  };
}
