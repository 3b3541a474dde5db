import { Button, Progress, Switch } from "@mantine/core";
import { IconFileUpload, IconUpload, IconX } from "@tabler/icons-react";
import type { ImportFault, TransferCounts } from "@web-tester/contracts/entities/transfer";
import { importFault } from "@web-tester/contracts/entities/transfer";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import { ApiError, messageOf } from "../../api/api-error.js";
import { keys } from "../../api/keys.js";
import { isPacked, isWebArchive, sendImport } from "../../api/transfer.js";
import { Needs } from "../../ui/access/needs.js";
import { InlineError } from "../../ui/feedback/states.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { countInWorker } from "./count-in-worker.js";
import { FaultList } from "./fault-list.js";
import { HistoryOf, ofFirstPage } from "./history-of.js";
import { isAbort } from "../../ui/download/save-file.js";
import classes from "./transfer.module.css";

const countWords = ({ objects, instances, snapshots }: TransferCounts) =>
  `${counted(objects, "object")}, ${counted(instances, "instance")}, ${counted(snapshots, "snapshot")}`;

/** A card that imports: choose or drop a file, see what is in it, send it. */
export function ImportCard() {
  const input = useRef<HTMLInputElement>(null);
  const chosen = useChosenFile();
  const { file, read, counts, error, faults } = chosen;
  const [background, setBackground] = useState(false);
  const [objectId, setObjectId] = useState(ofFirstPage);
  const clear = () => {
    chosen.clear();
    if (input.current !== null) input.current.value = "";
  };
  const upload = useUpload({ background, objectId }, { onDone: clear, onRefused: chosen.refuse });

  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (file === undefined) chosen.refuse(t("No file selected."));
    else if (read === undefined) upload.send(file);
  };

  return (
    <Card title={t("Import")}>
      <form className={classes["form"]} onSubmit={submit}>
        <DropField input={input} disabled={upload.isPending} onChoose={(picked) => void chosen.choose(picked)}>
          {file === undefined ? <Invitation /> : <FileFacts file={file} read={read} counts={counts} />}
        </DropField>
        {read !== undefined && file !== undefined && (
          <Progress
            value={file.size === 0 ? 100 : (read / file.size) * 100}
            size={6}
            aria-label={t("Reading the file")}
          />
        )}
        {file !== undefined && isWebArchive(file) && (
          <HistoryOf value={objectId} disabled={upload.isPending} onChange={setObjectId} />
        )}
        <BackgroundSwitch checked={background} disabled={upload.isPending} onChange={setBackground} />
        {error !== undefined && <InlineError title={error} />}
        <FaultList faults={faults} total={faults.length} />
        <div className={classes["actions"]}>
          <Needs call="importData">
            <Button
              type="submit"
              leftSection={<IconUpload size={15} aria-hidden />}
              disabled={upload.isPending || read !== undefined}
            >
              {t("Import")}
            </Button>
          </Needs>
          {(file !== undefined || upload.isPending) && (
            <Leave isUploading={upload.isPending} onCancel={upload.cancel} onClear={clear} />
          )}
        </div>
        {upload.isPending && <UploadProgress sent={upload.sent} />}
      </form>
    </Card>
  );
}

/** The chosen file: what is in it, as far as that can be told here, and what is wrong with it. */
function useChosenFile() {
  const reading = useRef<AbortController>(null);
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<string>();
  const [faults, setFaults] = useState<readonly ImportFault[]>([]);
  const [read, setRead] = useState<number>();
  const [counts, setCounts] = useState<TransferCounts>();
  useEffect(() => () => reading.current?.abort(), []);

  const show = (chosen: File | undefined) => {
    reading.current?.abort();
    setFile(chosen);
    setError(undefined);
    setFaults([]);
    setCounts(undefined);
    setRead(undefined);
  };
  const choose = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    show(chosen);
    // only the server can look into archives
    if (isPacked(chosen)) return;
    const mine = new AbortController();
    reading.current = mine;
    setRead(0);
    try {
      const found = await countInWorker(chosen, setRead, mine.signal);
      setCounts(found);
      toast("success", t("File parsed: {counts}", { counts: countWords(found) }));
    } catch (failure) {
      if (isAbort(failure)) return;
      setError(messageOf(failure));
      setFile(undefined);
    }
    setRead(undefined);
  };
  const refuse = (words: string, found?: readonly ImportFault[]) => {
    setError(words);
    if (found !== undefined) setFaults(found);
  };
  return { file, error, faults, read, counts, choose, refuse, clear: () => show(undefined) };
}

interface UploadEnds {
  onDone: () => void;
  onRefused: (words: string, faults: readonly ImportFault[]) => void;
}

/** Uploads a file, with its progress, and says what came of it. */
function useUpload(
  { background, objectId }: { background: boolean; objectId: string },
  { onDone, onRefused }: UploadEnds,
) {
  const client = useQueryClient();
  const sending = useRef<AbortController>(null);
  const [sent, setSent] = useState(0);
  useEffect(() => () => sending.current?.abort(), []);
  const send = useMutation({
    mutationFn: (chosen: File) => {
      sending.current = new AbortController();
      setSent(0);
      toast("info", t("Uploading import payload..."));
      return sendImport(
        chosen,
        {
          async: background ? "true" : "false",
          name: chosen.name.slice(0, 200),
          ...(isWebArchive(chosen) && objectId !== ofFirstPage ? { testObjectId: objectId } : {}),
        },
        setSent,
        sending.current.signal,
      );
    },
    onSuccess: (answer) => {
      announce(answer);
      onDone();
    },
    onError: (failure) => {
      if (isAbort(failure)) {
        toast("info", t("Import cancelled"));
        return;
      }
      toast("error", messageOf(failure));
      const details = failure instanceof ApiError ? z.array(importFault).safeParse(failure.details) : undefined;
      onRefused(failure instanceof ApiError ? failure.reason : messageOf(failure), details?.data ?? []);
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.imports });
      void client.invalidateQueries({ queryKey: keys.testObjects });
      void client.invalidateQueries({ queryKey: keys.stats });
    },
  });
  return { sent, isPending: send.isPending, send: send.mutate, cancel: () => sending.current?.abort() };
}

function announce(answer: Awaited<ReturnType<typeof sendImport>>): void {
  if (!("objects" in answer)) {
    toast("success", t("Import enqueued: {jobId}", { jobId: answer.jobId }));
    return;
  }
  const isNew = answer.objects + answer.instances + answer.snapshots > 0;
  // if everything was here already, the import was successful, but brought nothing new
  toast(isNew ? "success" : "info", t("Import successful"));
  toast(isNew ? "success" : "info", t("Imported: {counts}", { counts: countWords(answer) }));
  const [note, ...others] = answer.notes;
  if (note !== undefined)
    toast(
      "warning",
      others.length === 0 ? note : `${note} ${t("{notes} below.", { notes: counted(others.length, "more note") })}`,
    );
}

function DropField({
  input,
  disabled,
  onChoose,
  children,
}: {
  input: React.RefObject<HTMLInputElement | null>;
  disabled: boolean;
  onChoose: (file: File | undefined) => void;
  children: React.ReactNode;
}) {
  const [isOver, setIsOver] = useState(false);
  return (
    <label className={classes["drop"]} data-over={isOver || undefined}>
      <input
        ref={input}
        type="file"
        className={classes["file"]}
        aria-label={t("Import file")}
        accept=".json,.gz,.tgz,.warc,.wacz,.zip,application/json,application/gzip"
        disabled={disabled}
        onDragEnter={() => setIsOver(true)}
        onDragLeave={() => setIsOver(false)}
        onDrop={() => setIsOver(false)}
        onChange={(event) => onChoose(event.currentTarget.files?.[0])}
      />
      <IconFileUpload size={24} stroke={1.5} aria-hidden />
      {children}
    </label>
  );
}

interface BackgroundSwitchProps {
  checked: boolean;
  disabled: boolean;
  onChange: (checked: boolean) => void;
}

function BackgroundSwitch({ checked, disabled, onChange }: BackgroundSwitchProps) {
  return (
    <Switch
      label={t("Import in the background")}
      description={t("You may leave this page; the list below shows how far it is.")}
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

function Invitation() {
  return (
    <>
      <span className="strong">{t("Drop a file here, or choose one")}</span>
      <span className="label text-2">
        {t("JSON or archive, as made by Export, or a web archive (WARC, WACZ). Nothing is fetched from the sites.")}
      </span>
    </>
  );
}

/** A button that stops the upload, or clears the chosen file. */
function Leave({
  isUploading,
  onCancel,
  onClear,
}: {
  isUploading: boolean;
  onCancel: () => void;
  onClear: () => void;
}) {
  return (
    <Button
      variant="default"
      leftSection={<IconX size={15} aria-hidden />}
      onClick={() => (isUploading ? onCancel() : onClear())}
    >
      {isUploading ? t("Cancel") : t("Clear")}
    </Button>
  );
}

function FileFacts({
  file,
  read,
  counts,
}: {
  file: File;
  read: number | undefined;
  counts: TransferCounts | undefined;
}) {
  return (
    <>
      <span className={`strong ${classes["fileName"]}`}>{file.name}</span>
      <span className="label text-2" role="status">
        {formatBytes(file.size)}
        {read !== undefined && ` · ${t("reading, {read} so far", { read: formatBytes(read) })}`}
        {counts !== undefined && ` · ${countWords(counts)}`}
        {read === undefined && counts === undefined && ` · ${t("archive, checked by the server")}`}
      </span>
    </>
  );
}

/**
 * Shows how much was uploaded.
 * @param sent share of the file, 0 to 1
 */
function UploadProgress({ sent }: { sent: number }) {
  return (
    <div role="group" aria-label={t("Import")}>
      <p className="label text-2" role="status">
        {sent < 1
          ? t("Uploading: {percent} %", { percent: Math.floor(sent * 100) })
          : t("Uploaded. Checking and writing the records…")}
      </p>
      <Progress value={sent * 100} animated={sent >= 1} size={6} aria-label={t("Upload")} />
    </div>
  );
}
