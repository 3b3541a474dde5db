import { Button, NumberInput, Select, Switch, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ScheduleInput, scheduledWork, type QuietHours } from "@web-tester/contracts/entities/schedule";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { editedFields } from "../../api/edited-fields.js";
import { useSaving } from "../../api/use-saving.js";
import { schedulePreviewQuery } from "../../api/watch-queries.js";
import { formatDate } from "../../ui/format/dates.js";
import { t } from "../../texts/text.js";
import { faultWords } from "./fault-words.js";
import { choiceOf, firstChoice, ownZone, type TimeChoice, timeOf, workWords } from "./schedule-choice.js";
import { scheduleWords } from "./schedule-words.js";
import { TimeFields } from "./time-fields.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./schedules.module.css";

interface Props {
  objectId: string;
  /** The schedule that is edited; missing for a new one. */
  schedule?: ScheduleInput | undefined;
  /** @param edits the fields that were edited here */
  onSave: (schedule: ScheduleInput, edits: Partial<ScheduleInput>) => Promise<unknown>;
  onCancel: () => void;
}

type Fields = Omit<ScheduleInput, "time">;

const fresh: Fields = { work: "fetch", path: "", quiet: null, jitter_minutes: 0, paused: false };

/** The fields of a schedule that a person sets. */
const fieldsOf = ({ work, path, quiet, jitter_minutes, paused }: Fields): Fields => ({
  ...{ work, path, quiet, jitter_minutes, paused },
});

/** What the form says; null where a part of it is missing. */
function chosenOf(fields: Fields, choice: TimeChoice): ScheduleInput | null {
  const time = timeOf(choice);
  const path = fields.work === "fetch-path" ? fields.path : "";
  return time === null ? null : { ...fields, path, time };
}

/** A form for what to do and when; it says in words what was chosen, with the next three times, before it is saved. */
export function ScheduleForm({ objectId, schedule, onSave, onCancel }: Props) {
  const [fields, setFields] = useState<Fields>(fieldsOf(schedule ?? fresh));
  const [choice, setChoice] = useState(schedule === undefined ? firstChoice : () => choiceOf(schedule.time));
  const { problem, isSaving, save } = useSaving(faultWords);
  const change = (some: Partial<ScheduleInput>) => setFields((now) => ({ ...now, ...some }));
  const chosen = chosenOf(fields, choice);
  const [shown] = useState(chosen);
  return (
    <form
      className={formClasses["fields"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== null) void save(() => onSave(chosen, shown === null ? chosen : editedFields(shown, chosen)));
      }}
    >
      <WorkFields fields={fields} onChange={change} />
      <TimeFields choice={choice} onChange={(some) => setChoice((now) => ({ ...now, ...some }))} />
      <QuietFields
        quiet={fields.quiet}
        zone={choice.way === "every" ? ownZone() : choice.zone}
        onChange={(quiet) => change({ quiet })}
      />
      <JitterField minutes={fields.jitter_minutes} onChange={(value) => change({ jitter_minutes: value })} />
      {chosen !== null && <Preview objectId={objectId} schedule={chosen} />}
      {problem !== undefined && (
        <p role="alert" data-tone="failed">
          {problem}
        </p>
      )}
      <Ends isNew={schedule === undefined} isSaving={isSaving} disabled={chosen === null} onCancel={onCancel} />
    </form>
  );
}

interface EndsProps extends Pick<Props, "onCancel"> {
  isNew: boolean;
  isSaving: boolean;
  disabled: boolean;
}

function Ends({ isNew, isSaving, disabled, onCancel }: EndsProps) {
  return (
    <div className={formClasses["ends"]}>
      <Button variant="default" onClick={onCancel}>
        {t("Cancel")}
      </Button>
      <Button type="submit" loading={isSaving} disabled={disabled}>
        {isNew ? t("Add") : t("Save")}
      </Button>
    </div>
  );
}

function WorkFields({ fields, onChange }: { fields: Fields; onChange: (some: Partial<Fields>) => void }) {
  return (
    <>
      <Select
        label={t("What")}
        data-autofocus
        allowDeselect={false}
        value={fields.work}
        data={scheduledWork.options.map((value) => ({ value, label: t(workWords[value]) }))}
        onChange={(work) => onChange({ work: scheduledWork.parse(work) })}
      />
      {fields.work === "fetch-path" && (
        <TextInput
          label={t("Pages")}
          description={t("Path and query; * matches anything: /shop/*")}
          value={fields.path}
          onChange={(event) => onChange({ path: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </>
  );
}

function JitterField({ minutes, onChange }: { minutes: number; onChange: (minutes: number) => void }) {
  return (
    <NumberInput
      label={t("Delay by up to (minutes)")}
      description={t("Spreads the load when many runs are due at the same time")}
      min={0}
      max={60}
      allowDecimal={false}
      value={minutes}
      onChange={(value) => onChange(Number(value) || 0)}
    />
  );
}

interface QuietProps {
  quiet: QuietHours | null;
  zone: string;
  onChange: (quiet: QuietHours | null) => void;
}

function QuietFields({ quiet, zone, onChange }: QuietProps) {
  return (
    <>
      <Switch
        size="xs"
        label={t("Quiet hours, in which nothing starts")}
        checked={quiet !== null}
        onChange={(event) =>
          onChange(event.currentTarget.checked ? { from: "22:00", until: "06:00", time_zone: zone } : null)
        }
      />
      {quiet !== null && (
        <div className={formClasses["levelPair"]}>
          <TextInput
            type="time"
            label={t("From")}
            value={quiet.from}
            onChange={(event) => onChange({ ...quiet, from: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            label={t("Until")}
            description={quiet.time_zone}
            value={quiet.until}
            onChange={(event) => onChange({ ...quiet, until: event.currentTarget.value })}
          />
        </div>
      )}
    </>
  );
}

function Preview({ objectId, schedule }: { objectId: string; schedule: ScheduleInput }) {
  const [settled] = useDebouncedValue(schedule, 300);
  const preview = useQuery(schedulePreviewQuery(objectId, settled));
  if (preview.isError)
    return (
      <p role="alert" data-tone="failed">
        {faultWords(preview.error)}
      </p>
    );
  return (
    <div className={classes["preview"]} aria-live="polite">
      <b>{preview.data === undefined ? "…" : scheduleWords(schedule, preview.data.words)}</b>
      <span className="text-2">
        {t("Next:")} {preview.data?.next.map((moment) => formatDate(moment)).join(" · ") ?? "…"}
      </span>
    </div>
  );
}
