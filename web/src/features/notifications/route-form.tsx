import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Checkbox, NumberInput, Select, TextInput } from "@mantine/core";
import type { EventKind } from "@web-tester/contracts/entities/digest";
import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Cadence, Channel, Route, RouteInput } from "@web-tester/contracts/entities/notifications";
import { useState } from "react";
import { call } from "../../api/client.js";
import { editedFields } from "../../api/edited-fields.js";
import { useSaving } from "../../api/use-saving.js";
import { type Label, t } from "../../texts/text.js";
import { eventWords } from "./words.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./notifications.module.css";

interface Props {
  channels: readonly Channel[];
  objects: readonly TestObject[];
  /** The route that is edited; missing for a new one. */
  route?: Route | undefined;
  /** For a new route: the test object it is about. */
  objectId?: string | null;
  onSaved: () => Promise<unknown>;
  onCancel: () => void;
}

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const cadences: readonly { value: Cadence["type"]; label: Label }[] = [
  { value: "at-once", label: "At once" },
  { value: "hourly", label: "Once an hour" },
  { value: "daily", label: "Daily" },
  { value: "weekly", label: "Weekly" },
];
const weekDays: readonly Label[] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function cadenceOf(type: string | null, now: Cadence): Cadence {
  const at = "at" in now ? now.at : "08:00";
  const timeZone = "time_zone" in now ? now.time_zone : zone();
  if (type === "daily") return { type, at, time_zone: timeZone };
  if (type === "weekly") return { type, day: 1, at, time_zone: timeZone };
  return { type: type === "hourly" ? "hourly" : "at-once" };
}

/** All tags of objects, and the selected one even if no object has it any more. */
const tagsOf = (objects: readonly TestObject[], chosen: string): string[] =>
  [...new Set([...objects.flatMap(({ tags }) => tags), chosen])].filter((tag) => tag !== "").toSorted();

const firstInput = (channels: readonly Channel[], objectId: string | null): RouteInput => ({
  channel_id: channels[0]?.id ?? "",
  testobject_id: objectId,
  events: ["changed", "new", "gone", "moved", "failing", "recovered", "unusual"],
  ...{ tag: "", min_pages: 1, path: "", text: "", failures: 1, cadence: { type: "at-once" }, muted_until: null },
});

/** The fields of a route that a person sets. */
const inputOf = ({ channel_id, testobject_id, tag, events, min_pages, ...more }: Route): RouteInput => ({
  ...{ channel_id, testobject_id, tag, events, min_pages },
  ...{ path: more.path, text: more.text, failures: more.failures },
  ...{ cadence: more.cadence, muted_until: more.muted_until },
});

/** A form for who is told what, and when. */
export function RouteForm({ channels, objects, route, objectId = null, onSaved, onCancel }: Props) {
  const [input, setInput] = useState<RouteInput>(route === undefined ? firstInput(channels, objectId) : inputOf(route));
  const { problem, isSaving, save } = useSaving();
  const change = (some: Partial<RouteInput>) => setInput((now) => ({ ...now, ...some }));
  const send = () =>
    route === undefined
      ? call("createRoute", { body: input })
      : call("updateRoute", { params: { id: route.id }, body: editedFields(inputOf(route), input) });
  return (
    <form
      className={formClasses["fields"]}
      onSubmit={(event) => {
        event.preventDefault();
        void save(() => send().then(onSaved));
      }}
    >
      <About input={input} channels={channels} objects={objects} onChange={change} />
      <Events input={input} onChange={change} />
      <Filters input={input} onChange={change} />
      <When cadence={input.cadence} onChange={(cadence) => change({ cadence })} />
      {problem !== undefined && (
        <p role="alert" data-tone="failed">
          {problem}
        </p>
      )}
      <div className={formClasses["ends"]}>
        <Button variant="default" onClick={onCancel}>
          {t("Cancel")}
        </Button>
        <Button type="submit" loading={isSaving} disabled={input.events.length === 0 || input.channel_id === ""}>
          {route === undefined ? t("Add") : t("Save")}
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  input: RouteInput;
  onChange: (some: Partial<RouteInput>) => void;
}

/** Selects who is told, and about which objects. */
function About({ input, channels, objects, onChange }: PartProps & Pick<Props, "channels" | "objects">) {
  return (
    <div className={formClasses["levelPair"]}>
      <Select
        label={t("Send to")}
        data-autofocus
        allowDeselect={false}
        value={input.channel_id}
        data={channels.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => onChange({ channel_id: id ?? input.channel_id })}
      />
      <Select
        label={t("About")}
        searchable
        allowDeselect={false}
        value={input.testobject_id ?? ""}
        data={[
          { value: "", label: t("All test objects") },
          ...objects.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(id) => onChange({ testobject_id: id === "" ? null : id, tag: "" })}
      />
      {input.testobject_id === null && (
        <Select
          label={t("With the tag")}
          searchable
          allowDeselect={false}
          value={input.tag}
          data={[{ value: "", label: t("Any, or none") }, ...tagsOf(objects, input.tag)]}
          onChange={(tag) => onChange({ tag: tag ?? "" })}
        />
      )}
    </div>
  );
}

function Events({ input, onChange }: PartProps) {
  const toggle = (event: EventKind, on: boolean) =>
    onChange({ events: on ? [...input.events, event] : input.events.filter((one) => one !== event) });
  return (
    <fieldset className={classes["events"]}>
      <legend className="label">{t("What")}</legend>
      {Object.entries(eventWords).map(([event, label]) => (
        <Checkbox
          key={event}
          size="xs"
          label={t(label)}
          checked={input.events.some((one) => one === event)}
          onChange={(changed) => toggle(event as EventKind, changed.currentTarget.checked)}
        />
      ))}
    </fieldset>
  );
}

function Filters({ input, onChange }: PartProps) {
  return (
    <>
      <div className={formClasses["levelPair"]}>
        <NumberInput
          label={t("Minimum changed pages")}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          value={input.min_pages}
          onChange={(value) => onChange({ min_pages: Number(value) || 1 })}
        />
        <NumberInput
          label={t("Minimum failures in a row")}
          min={1}
          max={100}
          allowDecimal={false}
          value={input.failures}
          onChange={(value) => onChange({ failures: Number(value) || 1 })}
        />
      </div>
      <div className={formClasses["levelPair"]}>
        <TextInput
          label={t("Only on pages")}
          description={t("Path and query; * matches anything")}
          value={input.path}
          onChange={(event) => onChange({ path: event.currentTarget.value })}
        />
        <TextInput
          label={t("Only if this text is added or removed")}
          description={t("For changes; leave empty for all")}
          value={input.text}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

function When({ cadence, onChange }: { cadence: Cadence; onChange: (cadence: Cadence) => void }) {
  return (
    <div className={formClasses["levelPair"]}>
      <Select
        label={t("When")}
        allowDeselect={false}
        value={cadence.type}
        data={cadences.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={(type) => onChange(cadenceOf(type, cadence))}
      />
      {cadence.type === "weekly" && (
        <Select
          label={t("On~day")}
          allowDeselect={false}
          value={String(cadence.day)}
          data={weekDays.map((label, day) => ({ value: String(day), label: t(label) }))}
          onChange={(day) => onChange({ ...cadence, day: Number(day) })}
        />
      )}
      {(cadence.type === "daily" || cadence.type === "weekly") && (
        <TextInput
          type="time"
          label={t("At")}
          description={cadence.time_zone}
          value={cadence.at}
          onChange={(event) => onChange({ ...cadence, at: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
