import { NumberInput, SegmentedControl, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { settingOf } from "@web-tester/contracts/object-settings";
import type { Setting, SettingGroup } from "@web-tester/contracts/setting-kinds";
import { t, translated } from "../../texts/text.js";
import type { OptionFault } from "./option-faults.js";
import { type OptionName, optionNames, type Options } from "./options.js";
import classes from "./rail.module.css";

export interface OptionsDraft {
  options: Options;
  set: (part: Partial<Options>) => void;
  /** The faults of the last attempt to save, until their fields are edited. */
  faults: readonly OptionFault[];
}

interface FieldsProps extends OptionsDraft {
  group: SettingGroup;
  /** How many lines of a list's text are visible. */
  rows?: number;
}

/** The controls of one group of settings, in the order of the schema; numbers are side by side. */
export function SettingFields({ group, rows = 2, ...draft }: FieldsProps) {
  const { options } = draft;
  const shown = (optionNames as OptionName[]).filter((name) => {
    const { group: own, onlyWith } = settingOf(name);
    return own === group && (onlyWith === undefined || options[onlyWith.setting as OptionName] === onlyWith.is);
  });
  const single = shown.map((name) => ({ names: [name], isNumber: isBare(settingOf(name)) }));
  const gathered = single.reduce<typeof single>((list, row) => {
    const last = list.at(-1);
    if (last !== undefined && last.isNumber && row.isNumber) last.names.push(...row.names);
    else list.push(row);
    return list;
  }, []);
  return gathered.map(({ names, isNumber }) => {
    const fields = names.map((name) => <SettingField key={name} name={name} rows={rows} {...draft} />);
    return isNumber && names.length > 1 ? (
      <div key={names[0]} className={classes["budgets"]}>
        {fields}
      </div>
    ) : (
      fields
    );
  });
}

/** Whether a setting is a number whose label is short enough for half a row. */
const isBare = ({ control, label }: Setting<unknown>) =>
  (control === "number" || control === "limit") && label.endsWith("at most");

function SettingField({ name, rows, options, set, faults }: OptionsDraft & { name: OptionName; rows: number }) {
  const setting = settingOf(name);
  const error = faults.find((fault) => fault.name === name)?.message;
  const value = options[name];
  const change = (changed: unknown) => set({ [name]: changed });
  switch (setting.control) {
    case "switch":
      return (
        <Switch
          size="xs"
          label={translated(setting.label)}
          description={setting.hint && translated(setting.hint)}
          checked={value === true}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      );
    case "number":
    case "limit":
      return <NumberField setting={setting} value={value as number | null} error={error} change={change} />;
    case "lines":
      return <LinesField setting={setting} rows={rows} value={String(value)} error={error} change={change} />;
    case "select":
      return <SelectField setting={setting} value={String(value)} change={change} />;
    case "segments":
      return <SegmentsField setting={setting} value={String(value)} change={change} />;
    case "text":
      return (
        <TextInput
          label={translated(setting.label)}
          description={setting.hint && translated(setting.hint)}
          value={String(value)}
          error={error}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
  }
}

function NumberField({
  setting: { control, label, hint, min = 0, max },
  value,
  error,
  change,
}: {
  setting: Setting<unknown>;
  value: number | null;
  error: string | undefined;
  change: (value: number | null) => void;
}) {
  const read = (text: string | number) =>
    control === "limit" && text === "" ? null : Math.max(min, Math.round(Number(text)) || min);
  return (
    <NumberInput
      label={translated(label)}
      description={hint && translated(hint)}
      {...(control === "limit" ? { placeholder: t("No limit") } : {})}
      min={min}
      {...(max === undefined ? {} : { max })}
      allowDecimal={false}
      value={value ?? ""}
      error={error}
      onChange={(text) => change(read(text))}
    />
  );
}

interface TextProps {
  setting: Setting<unknown>;
  value: string;
  error?: string | undefined;
  change: (value: string) => void;
}

function LinesField({ setting, rows, value, error, change }: TextProps & { rows: number }) {
  return (
    <Textarea
      label={translated(setting.label)}
      description={setting.hint && translated(setting.hint)}
      data-mono
      rows={rows}
      autosize={false}
      resize="vertical"
      spellCheck={false}
      value={value}
      error={error}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function SelectField({ setting, value, change }: Omit<TextProps, "change"> & { change: (value: unknown) => void }) {
  return (
    <Select
      label={translated(setting.label)}
      description={setting.hint && translated(setting.hint)}
      allowDeselect={false}
      data={setting.choices?.map((choice) => ({ value: choice.value, label: translated(choice.label) }))}
      value={value}
      onChange={(chosen) => change(chosen ?? setting.initial)}
    />
  );
}

function SegmentsField({ setting, value, change }: TextProps) {
  return (
    <div>
      <p className={classes["legend"]} aria-hidden>
        {translated(setting.label)}
      </p>
      <SegmentedControl
        fullWidth
        aria-label={translated(setting.label)}
        value={value}
        onChange={change}
        data={setting.choices?.map((choice) => ({ value: choice.value, label: translated(choice.label) })) ?? []}
      />
      <p className="label">{translated(setting.choices?.find((choice) => choice.value === value)?.words ?? "")}</p>
    </div>
  );
}
