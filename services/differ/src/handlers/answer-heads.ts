import { AppError } from "@web-tester/contracts/errors";
import { questions } from "@web-tester/contracts/messages";
import { utf8As } from "@web-tester/html/charset/decode-as";
import { differingHeads } from "@web-tester/html/links/page-head";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { z } from "zod";

type Asked = z.infer<typeof questions.heads.request>;

/** Handler of the question `heads`. Only the beginning of a page is looked at, so it needs no other thread. */
export function createAnswerHeads(
  store: Pick<ObjectStore, "read">,
): (request: unknown) => Promise<z.infer<typeof questions.heads.reply>> {
  const read = async ({ sha256, charset }: Asked["a"]) =>
    utf8As((await store.read(Buffer.from(sha256, "hex"))).subarray(0, readMaxBytes), charset);
  return async (request) => {
    const parsed = questions.heads.request.safeParse(request);
    if (!parsed.success)
      throw new AppError("invalid_input", "The question to the differ does not fit its schema.", {
        cause: parsed.error,
      });
    return { heads: differingHeads(await read(parsed.data.a), await read(parsed.data.b)) };
  };
}

/** More than a head may be, in any charset. */
const readMaxBytes = 1024 * 1024;
