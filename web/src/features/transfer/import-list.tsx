import type { ImportJob, TransferCounts } from "@web-tester/contracts/entities/transfer";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconPlayerStop } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { importsQuery } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import { Empty, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { Announcer } from "../../ui/progress/announcer.js";
import { ProgressBar } from "../../ui/progress/progress-bar.js";
import { type Tone, ToneWord } from "../../ui/status/status.js";
import type { ShownStatus } from "../../ui/status/snapshot-status.js";
import { toast } from "../../ui/toasts/toasts.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { type Label, t } from "../../texts/text.js";
import { FaultList } from "./fault-list.js";
import classes from "./transfer.module.css";

const states: Record<ImportJob["state"], { word: Label; tone: Tone; status: ShownStatus }> = {
  reading: { word: "Reading", tone: "running", status: "running" },
  applying: { word: "Writing", tone: "running", status: "running" },
  finished: { word: "Finished", tone: "added", status: "fetched" },
  failed: { word: "Failed", tone: "failed", status: "failed" },
  cancelled: { word: "Stopped", tone: "quiet", status: "cancelled" },
};

const isOpen = ({ state }: ImportJob) => state === "reading" || state === "applying";

/** Lists the last imports: their progress, what they brought, and what was wrong. */
export function ImportList() {
  const client = useQueryClient();
  const imports = useQuery(importsQuery());
  const items = imports.data?.items ?? [];
  const open = items.filter(isOpen).length;
  const before = useRef(open);
  const [seenOpen, setSeenOpen] = useState<ReadonlySet<string>>(new Set());
  const unseen = items.filter((job) => isOpen(job) && !seenOpen.has(job.id));
  if (unseen.length > 0) setSeenOpen(new Set([...seenOpen, ...unseen.map(({ id }) => id)]));
  useEffect(() => {
    // the imported objects are shown elsewhere
    if (open < before.current) void client.invalidateQueries({ queryKey: keys.testObjects });
    before.current = open;
  }, [client, open]);
  return (
    <Card title={t("Recent imports")} className={classes["list"]} flush>
      {imports.isPending && (
        <Waiting words={t("Loading imports…")}>
          <RowSkeletons count={2} />
        </Waiting>
      )}
      {imports.isError && (
        <InlineError
          title={t("The imports could not be read")}
          detail={messageOf(imports.error)}
          onRetry={() => void imports.refetch()}
        />
      )}
      {imports.isSuccess && items.length === 0 && (
        <Empty title={t("No imports yet")}>
          {t("Every import is listed here, with what was wrong with its file.")}
        </Empty>
      )}
      <Announcer words={items.flatMap((job) => (seenOpen.has(job.id) ? [wordsOf(job)] : [])).join(" ")} />
      <ul className={classes["imports"]}>
        {items.map((job) => (
          <ImportRow key={job.id} job={job} />
        ))}
      </ul>
    </Card>
  );
}

const nameOf = (job: ImportJob) => job.name ?? t("Import");

/** The bytes that are read, or the records that are written so far. */
const progressOf = (job: ImportJob) =>
  job.state === "reading"
    ? { noun: t("bytes"), completed: job.bytes, total: job.bytes_total ?? job.bytes }
    : { noun: t("records"), completed: job.completed, total: job.total };

/** The announcement for screen readers of an import that goes on, or that ended while somebody looked on. */
function wordsOf(job: ImportJob): string {
  const name = `${nameOf(job)}, ${t(states[job.state].word)}`;
  return isOpen(job) ? `${t("{name}: {completed} of {total} {noun}", { name, ...progressOf(job) })}.` : `${name}.`;
}

function ImportRow({ job }: { job: ImportJob }) {
  const { word, tone, status } = states[job.state];
  return (
    <li className={classes["import"]}>
      <div className={classes["importHead"]}>
        <ToneWord tone={tone} status={status}>
          {word}
        </ToneWord>
        <span className={`truncate strong ${classes["importName"]}`}>{nameOf(job)}</span>
        <span className="mono label text-2">
          {formatBytes(isOpen(job) ? job.bytes : (job.bytes_total ?? job.bytes))}
        </span>
        <span className="mono label text-2">{formatDate(job.created_at)}</span>
      </div>
      {isOpen(job) && <JobProgress job={job} />}
      {job.state === "finished" && (
        <p className="text-2">
          {t("{things} new", { things: newWords(job.imported) })}
          {sum(job.existing) > 0 && `, ${t("{things} known before", { things: newWords(job.existing) })}`}
        </p>
      )}
      {job.error !== null && <p className="text-2">{job.error}</p>}
      {job.notes.length > 0 && (
        <ul className={classes["notes"]} aria-label={t("To do")}>
          {job.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {job.faults.length > 0 && (
        <details className={classes["details"]}>
          <summary>{counted(job.faults_total, "faulty record")}</summary>
          <FaultList faults={job.faults} total={job.faults_total} />
        </details>
      )}
    </li>
  );
}

/** The progress of a running import, with a button that stops it. */
function JobProgress({ job }: { job: ImportJob }) {
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () => call("cancelImport", { params: { id: job.id } }),
    onError: (error) => toast("error", messageOf(error)),
    onSettled: () => client.invalidateQueries({ queryKey: keys.imports }),
  });
  const word = t(states[job.state].word);
  return (
    <ProgressBar
      name={word}
      {...progressOf(job)}
      failed={0}
      action={
        <Needs call="cancelImport">
          <WorkButton
            variant="default"
            size="compact-sm"
            leftSection={<IconPlayerStop size={14} aria-hidden />}
            isWorking={stop.isPending}
            onClick={() => stop.mutate()}
          >
            {t("Stop")}
          </WorkButton>
        </Needs>
      }
    />
  );
}

const sum = ({ objects, instances, snapshots }: TransferCounts) => objects + instances + snapshots;
const newWords = ({ objects, instances, snapshots }: TransferCounts) =>
  `${counted(objects, "object")}, ${counted(instances, "instance")}, ${counted(snapshots, "snapshot")}`;
