import "@mantine/core/styles/Chip.layer.css";
import { Chip, NumberInput, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useMemo } from "react";
import { t } from "../../texts/text.js";
import { dayNames, type TimeChoice } from "./schedule-choice.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./schedules.module.css";

interface Props {
  choice: TimeChoice;
  onChange: (fields: Partial<TimeChoice>) => void;
}

const ways = [
  { value: "at", label: "At a time of day" },
  { value: "every", label: "Every …" },
  { value: "cron", label: "Cron" },
] as const;

/** Fields for when: an interval, a time on some days of the week, or a cron expression. */
export function TimeFields({ choice, onChange }: Props) {
  return (
    <>
      <SegmentedControl
        aria-label={t("When")}
        data={ways.map(({ value, label }) => ({ value, label: t(label) }))}
        value={choice.way}
        onChange={(way) => onChange({ way: way === "at" || way === "cron" ? way : "every" })}
      />
      {choice.way === "every" && <Interval choice={choice} onChange={onChange} />}
      {choice.way === "at" && <TimeOfDay choice={choice} onChange={onChange} />}
      {choice.way === "cron" && (
        <div className={formClasses["levelPair"]}>
          <TextInput
            label={t("Cron expression")}
            description={t("Minute, hour, day, month, day of the week")}
            value={choice.cron}
            onChange={(event) => onChange({ cron: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
          <ZoneSelect value={choice.zone} onChange={(zone) => onChange({ zone })} />
        </div>
      )}
    </>
  );
}

function Interval({ choice, onChange }: Props) {
  return (
    <div className={formClasses["levelPair"]}>
      <NumberInput
        label={t("Every")}
        min={1}
        max={9_999}
        allowDecimal={false}
        value={choice.count}
        onChange={(value) => onChange({ count: Number(value) || 0 })}
      />
      <Select
        label={t("Unit")}
        allowDeselect={false}
        data={(["minutes", "hours", "days"] as const).map((value) => ({ value, label: t(value) }))}
        value={choice.unit}
        onChange={(unit) => onChange({ unit: unit === "minutes" || unit === "days" ? unit : "hours" })}
      />
    </div>
  );
}

function TimeOfDay({ choice, onChange }: Props) {
  return (
    <>
      <div className={formClasses["levelPair"]}>
        <TextInput
          type="time"
          label={t("At")}
          value={choice.clock}
          onChange={(event) => onChange({ clock: event.currentTarget.value })}
        />
        <ZoneSelect value={choice.zone} onChange={(zone) => onChange({ zone })} />
      </div>
      <Chip.Group multiple value={choice.days.map(String)} onChange={(days) => onChange({ days: days.map(Number) })}>
        <div className={classes["days"]} role="group" aria-label={t("On~day")}>
          {dayNames.map((name, day) => (
            <Chip key={name} size="xs" value={String(day)}>
              {t(name)}
            </Chip>
          ))}
        </div>
      </Chip.Group>
    </>
  );
}

/** Selects a time zone by its IANA name. */
function ZoneSelect({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const zones = useMemo(() => [...new Set([value, "UTC", ...Intl.supportedValuesOf("timeZone")])], [value]);
  return (
    <Select
      label={t("Time zone")}
      searchable
      allowDeselect={false}
      limit={50}
      data={zones}
      value={value}
      onChange={(zone) => onChange(zone ?? value)}
    />
  );
}
