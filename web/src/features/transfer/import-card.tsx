import { Button, Progress, Switch } from "@mantine/core";
import { IconFileUpload, IconUpload, IconX } from "@tabler/icons-react";
import type { ImportFault, TransferCounts } from "@web-tester/contracts/entities/transfer";
import { importFault } from "@web-tester/contracts/entities/transfer";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import { ApiError, messageOf } from "../../api/api-error.js";
import { keys } from "../../api/keys.js";
import { isPacked, sendImport } from "../../api/transfer.js";
import { InlineError } from "../../ui/feedback/states.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { toast } from "../../ui/toasts/toasts.js";
import { countInWorker } from "./count-in-worker.js";
import { FaultList } from "./fault-list.js";
import { isAbort } from "./save-file.js";
import classes from "./transfer.module.css";

const countWords = ({ objects, instances, snapshots }: TransferCounts) =>
  `${objects} objects, ${instances} instances, ${snapshots} snapshots`;

/** Choose or drop a file, see what is in it, send it. */
export function ImportCard() {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const reading = useRef<AbortController>(null);
  const sending = useRef<AbortController>(null);
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<string>();
  const [faults, setFaults] = useState<readonly ImportFault[]>([]);
  const [read, setRead] = useState<number>();
  const [counts, setCounts] = useState<TransferCounts>();
  const [background, setBackground] = useState(false);
  const [sent, setSent] = useState(0);
  const [isOver, setIsOver] = useState(false);
  useEffect(
    () => () => {
      reading.current?.abort();
      sending.current?.abort();
    },
    [],
  );

  const choose = async (chosen: File | undefined) => {
    if (chosen === undefined || send.isPending) return;
    reading.current?.abort();
    const mine = new AbortController();
    reading.current = mine;
    setFile(chosen);
    setError(undefined);
    setFaults([]);
    setCounts(undefined);
    // only the server looks into archives
    if (isPacked(chosen)) return;
    setRead(0);
    try {
      const found = await countInWorker(chosen, setRead, mine.signal);
      setCounts(found);
      toast("success", `File parsed: ${countWords(found)}`);
    } catch (failure) {
      if (isAbort(failure)) return;
      setError(messageOf(failure));
      setFile(undefined);
    }
    setRead(undefined);
  };

  const send = useMutation({
    mutationFn: (chosen: File) => {
      sending.current = new AbortController();
      setSent(0);
      toast("info", "Uploading import payload...");
      return sendImport(
        chosen,
        { async: background ? "true" : "false", name: chosen.name.slice(0, 200) },
        setSent,
        sending.current.signal,
      );
    },
    onSuccess: (answer) => {
      if ("objects" in answer) {
        toast("success", "Import successful");
        toast("success", `Imported: ${countWords(answer)}`);
        const [note, ...others] = answer.notes;
        if (note !== undefined)
          toast("warning", others.length === 0 ? note : `${note} ${counted(others.length, "more note")} below.`);
      } else {
        toast("success", `Import enqueued: ${answer.jobId}`);
      }
      clear();
    },
    onError: (failure) => {
      if (isAbort(failure)) {
        toast("info", "Import cancelled");
        return;
      }
      toast("error", messageOf(failure));
      setError(failure instanceof ApiError ? failure.reason : messageOf(failure));
      const details = failure instanceof ApiError ? z.array(importFault).safeParse(failure.details) : undefined;
      setFaults(details?.data ?? []);
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.imports });
      void client.invalidateQueries({ queryKey: keys.testObjects });
      void client.invalidateQueries({ queryKey: keys.stats });
    },
  });

  const clear = () => {
    reading.current?.abort();
    setFile(undefined);
    setCounts(undefined);
    setRead(undefined);
    setError(undefined);
    setFaults([]);
    if (input.current !== null) input.current.value = "";
  };

  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (file === undefined) setError("No file selected.");
    else if (read === undefined) send.mutate(file);
  };

  return (
    <Card title="Import">
      <form className={classes["form"]} onSubmit={submit}>
        <label className={classes["drop"]} data-over={isOver || undefined}>
          <input
            ref={input}
            type="file"
            className={classes["file"]}
            aria-label="Import file"
            accept=".json,.gz,.tgz,application/json,application/gzip"
            disabled={send.isPending}
            onDragEnter={() => setIsOver(true)}
            onDragLeave={() => setIsOver(false)}
            onDrop={() => setIsOver(false)}
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
          <IconFileUpload size={24} stroke={1.5} aria-hidden />
          {file === undefined ? (
            <>
              <span className="strong">Drop a file here, or choose one</span>
              <span className="label text-2">
                JSON or archive, as made by Export. Nothing is fetched from the sites.
              </span>
            </>
          ) : (
            <>
              <span className={`strong ${classes["fileName"]}`}>{file.name}</span>
              <span className="label text-2" role="status">
                {formatBytes(file.size)}
                {read !== undefined && ` · reading, ${formatBytes(read)} so far`}
                {counts !== undefined && ` · ${countWords(counts)}`}
                {read === undefined && counts === undefined && " · archive, checked by the server"}
              </span>
            </>
          )}
        </label>
        {read !== undefined && file !== undefined && (
          <Progress value={file.size === 0 ? 100 : (read / file.size) * 100} size={6} aria-label="Reading the file" />
        )}
        <Switch
          label="Import in the background"
          description="You may leave this page; the list below shows how far it is."
          checked={background}
          disabled={send.isPending}
          onChange={(event) => setBackground(event.currentTarget.checked)}
        />
        {error !== undefined && <InlineError title={error} />}
        <FaultList faults={faults} total={faults.length} />
        <div className={classes["actions"]}>
          <Button
            type="submit"
            leftSection={<IconUpload size={15} aria-hidden />}
            disabled={send.isPending || read !== undefined}
          >
            Import
          </Button>
          {(file !== undefined || send.isPending) && (
            <Button
              variant="default"
              leftSection={<IconX size={15} aria-hidden />}
              onClick={() => (send.isPending ? sending.current?.abort() : clear())}
            >
              {send.isPending ? "Cancel" : "Clear"}
            </Button>
          )}
        </div>
        {send.isPending && (
          <div role="group" aria-label="Import">
            <p className="label text-2" role="status">
              {sent < 1 ? `Uploading: ${Math.floor(sent * 100)} %` : "Uploaded. Checking and writing the records…"}
            </p>
            <Progress value={sent * 100} animated={sent >= 1} size={6} aria-label="Upload" />
          </div>
        )}
      </form>
    </Card>
  );
}
