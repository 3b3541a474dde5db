import { Button, Modal, Skeleton } from "@mantine/core";
import type { Schedule } from "@web-tester/contracts/entities/schedule";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { testObjectQuery } from "../../api/queries.js";
import { schedulesQuery } from "../../api/watch-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { toast } from "../../ui/toasts/toasts.js";
import { t } from "../../texts/text.js";
import { workWords } from "./schedule-choice.js";
import { ScheduleForm } from "./schedule-form.js";
import { ScheduleRow } from "./schedule-row.js";
import { scheduleWords } from "./schedule-words.js";
import rowClasses from "../../ui/layout/rows.module.css";

/** The page of one site's schedules. */
export function SchedulesPage({ id }: { id: string }) {
  const client = useQueryClient();
  const object = useQuery(testObjectQuery(client, id)).data;
  const query = useQuery({ ...schedulesQuery(id), refetchInterval: 15_000 });
  const [edited, setEdited] = useState<Schedule | "new">();
  const [removed, setRemoved] = useState<Schedule>();
  usePageMeta(
    t("Schedules of {name}", { name: object?.name ?? t("a test object") }),
    t("What runs automatically."),
    `/objects/${id}/schedules`,
  );
  const { changed, pause, remove } = useChanging(id);
  const items = query.data?.items ?? [];
  return (
    <Page>
      <PageHead
        above={<ObjectCrumbs id={id} name={object?.name} here={t("Schedules")} />}
        title={t("What runs automatically")}
        actions={
          <Needs call="createSchedule">
            <Button onClick={() => setEdited("new")}>{t("Add Schedule")}</Button>
          </Needs>
        }
      />
      <div className={rowClasses["sections"]}>
        {query.isPending && <Skeleton height={160} radius={8} />}
        {query.isError && <Failed error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && <Schedules items={items} onPause={pause} onEdit={setEdited} onRemove={setRemoved} />}
      </div>
      <EditDialog id={id} edited={edited} changed={changed} onClose={() => setEdited(undefined)} />
      <RemoveDialog schedule={removed} onClose={() => setRemoved(undefined)} onRemove={remove} />
    </Page>
  );
}

/** Changes schedules, says that it was done, or why not, and loads them again. */
function useChanging(id: string) {
  const client = useQueryClient();
  const changed = async (work: Promise<unknown>, words: string) => {
    await work;
    toast("success", words);
    await client.invalidateQueries({ queryKey: keys.schedules(id) });
    void client.invalidateQueries({ queryKey: keys.upcoming });
  };
  const attempt = (work: Promise<unknown>) => void work.catch((error: unknown) => toast("error", messageOf(error)));
  const pause = (item: Schedule, paused: boolean) =>
    attempt(
      changed(
        call("updateSchedule", { params: { id: item.id }, body: { paused } }),
        paused ? t("Paused.") : t("Resumed."),
      ),
    );
  const remove = (gone: Schedule) =>
    attempt(changed(call("deleteSchedule", { params: { id: gone.id } }), t("Schedule deleted.")));
  return { changed, pause, remove };
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return <InlineError title={t("The schedules could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}

interface SchedulesProps {
  items: readonly Schedule[];
  onPause: (schedule: Schedule, paused: boolean) => void;
  onEdit: (schedule: Schedule) => void;
  onRemove: (schedule: Schedule) => void;
}

function Schedules({ items, onPause, onEdit, onRemove }: SchedulesProps) {
  return (
    <Card title={t("Schedules")} aside={counted(items.length, "schedule")} flush>
      {items.length === 0 && (
        <Empty title={t("No schedules yet")}>
          {t(
            "Nothing runs automatically here. Add a schedule to fetch all pages every morning, or to look for new pages once a week.",
          )}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Schedules")}>
        {items.map((item) => (
          <ScheduleRow
            key={item.id}
            schedule={item}
            onPause={(paused) => onPause(item, paused)}
            acts={<Acts onEdit={() => onEdit(item)} onRemove={() => onRemove(item)} />}
          />
        ))}
      </ul>
    </Card>
  );
}

function Acts({ onEdit, onRemove }: { onEdit: () => void; onRemove: () => void }) {
  return (
    <>
      <Needs call="updateSchedule">
        <Button size="xs" variant="default" onClick={onEdit}>
          {t("Edit")}
        </Button>
      </Needs>
      <Needs call="deleteSchedule">
        <Button size="xs" variant="default" onClick={onRemove}>
          {t("Delete")}
        </Button>
      </Needs>
    </>
  );
}

interface EditProps {
  id: string;
  edited: Schedule | "new" | undefined;
  changed: ReturnType<typeof useChanging>["changed"];
  onClose: () => void;
}

function EditDialog({ id, edited, changed, onClose }: EditProps) {
  return (
    <Modal
      opened={edited !== undefined}
      onClose={onClose}
      title={edited === "new" ? t("Add schedule") : t("Schedule")}
      size="lg"
    >
      {edited !== undefined && (
        <ScheduleForm
          objectId={id}
          schedule={edited === "new" ? undefined : edited}
          onCancel={onClose}
          onSave={async (body, edits) => {
            await changed(
              edited === "new"
                ? call("createSchedule", { params: { id }, body })
                : call("updateSchedule", { params: { id: edited.id }, body: edits }),
              edited === "new" ? t("Scheduled.") : t("Saved."),
            );
            onClose();
          }}
        />
      )}
    </Modal>
  );
}

interface RemoveProps {
  schedule: Schedule | undefined;
  onClose: () => void;
  onRemove: (schedule: Schedule) => void;
}

/** Asks for confirmation before a schedule is deleted. */
function RemoveDialog({ schedule: removed, onClose, onRemove }: RemoveProps) {
  return (
    <ConfirmDialog
      ask={
        removed && {
          title: t("Delete schedule"),
          sentence: t("{what}, {words}: no longer runs automatically. Past runs and their snapshots are kept.", {
            what: t(workWords[removed.work]),
            words: scheduleWords(removed, removed.words),
          }),
          losses: [],
        }
      }
      onCancel={onClose}
      onConfirm={() => {
        if (removed !== undefined) onRemove(removed);
        onClose();
      }}
    />
  );
}
