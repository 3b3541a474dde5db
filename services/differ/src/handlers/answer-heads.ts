import { questions } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import { utf8As } from "@web-tester/html/charset/decode-as";
import { differingHeads } from "@web-tester/html/links/page-head";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { z } from "zod";

type Asked = z.infer<typeof questions.heads.request>;

/** Handler of the question `heads`. It reads only the beginning of a page, so it needs no worker thread. */
export function createAnswerHeads(
  store: Pick<ObjectStore, "read">,
): (request: unknown) => Promise<z.infer<typeof questions.heads.reply>> {
  const read = async ({ sha256, charset }: Asked["a"]) =>
    utf8As((await store.read(Buffer.from(sha256, "hex"))).subarray(0, readMaxBytes), charset);
  return async (request) => {
    const asked = readQuestion(questions.heads, request);
    return { heads: differingHeads(await read(asked.a), await read(asked.b)) };
  };
}

/** The bytes of a page that are read: more than a head may have, in any charset. */
const readMaxBytes = 1024 * 1024;
