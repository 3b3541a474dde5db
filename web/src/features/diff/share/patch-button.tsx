import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../../api/api-error.js";
import { fileName } from "../../../ui/download/list-file.js";
import { isAbort, saveFile } from "../../../ui/download/save-file.js";
import { counted, formatCount } from "../../../ui/format/words.js";
import { toast } from "../../../ui/toasts/toasts.js";
import { t } from "../../../texts/text.js";
import { type Pair, patchOf } from "./run-patch.js";

export interface PatchOf {
  /** What the patch contains, for the file's name. */
  name: string;
  total: number;
  pairs: (signal: AbortSignal) => AsyncIterable<Pair>;
}

/** A button that downloads all changes of many pages as one patch; it shows the progress, and can stop it. */
export function PatchButton(of: PatchOf) {
  const { words, act } = usePatch(of);
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconDownload size={15} aria-hidden />}
      onClick={act}
      title={t("All changes as one file, by the source of the pages; git apply reads it")}
    >
      {words}
    </Button>
  );
}

/**
 * Makes and saves the patch.
 * @returns `act` begins it, or stops it while it is being made; `words` are the button's text
 */
export function usePatch({ name, total, pairs }: PatchOf): { words: string; act: () => void } {
  const [done, setDone] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    setDone(0);
    try {
      const { text, pages, partial } = await patchOf(pairs(controller.signal), controller.signal, setDone);
      saveFile(new Blob([text], { type: "text/x-patch" }), `${fileName(name)}.patch`);
      if (partial > 0)
        toast(
          "warning",
          t("{pages} differ so much that only a part of them is in the patch", { pages: counted(partial, "page") }),
        );
      else toast("success", t("Patch of {pages} saved", { pages: counted(pages, "page") }));
    } catch (error) {
      if (!isAbort(error)) toast("error", messageOf(error));
    } finally {
      setDone(undefined);
    }
  };
  if (done === undefined) return { words: t("Download as patch"), act: () => void start() };
  const words = t("Stop: {done} of {total}", { done: formatCount(done), total: formatCount(total) });
  return { words, act: () => running.current?.abort() };
}
