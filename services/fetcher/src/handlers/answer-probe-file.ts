import { questions } from "@web-tester/contracts/messages";
import type { Database } from "@web-tester/platform/database/database";
import { selectProbed } from "@web-tester/records/snapshots/claim-snapshots";
import { readQuestion } from "@web-tester/worker/read-question";
import type { z } from "zod";
import type { PageAssets } from "../steps/page-assets.js";

type Reply = z.infer<typeof questions.probeFile.reply>;

interface ProbeFileDeps {
  db: Database;
  assets: Pick<PageAssets, "probe">;
  signal: AbortSignal;
}

/**
 * Handler of the question `probeFile`: loads a file of a page as a snapshot would, to tell whether the file is different
 * at every load.
 */
export function createAnswerProbeFile({ db, assets, signal }: ProbeFileDeps): (request: unknown) => Promise<Reply> {
  return async (request) => {
    const { instanceId, url, round } = readQuestion(questions.probeFile, request);
    const page = await selectProbed(db, instanceId);
    return { sha256: page === null ? null : await assets.probe(page, url, round, signal) };
  };
}
