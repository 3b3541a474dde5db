import { Button } from "@mantine/core";
import { settingNames, settingOf } from "@web-tester/contracts/object-settings";
import { t, translated } from "../../texts/text.js";
import type { OptionKey } from "./drafts.js";
import { labelOf } from "./option-faults.js";
import { type Options, patternsOf } from "./options.js";
import classes from "./rail.module.css";

/** Names the options that were edited here and meanwhile saved elsewhere, and lets the person choose a value for each. */
export function OptionConflicts({
  names,
  stored,
  onKeep,
  onTake,
}: {
  names: readonly OptionKey[];
  stored: Options;
  onKeep: (name: OptionKey) => void;
  onTake: (name: OptionKey) => void;
}) {
  if (names.length === 0) return null;
  return (
    <div className={classes["stack"]} role="alert" data-tone="changed">
      <p className="strong">{t("Saved elsewhere while you edited")}</p>
      {names.map((name) => {
        const option = labelOf(name);
        return (
          <div key={name}>
            <p className="label">
              {t("{option}: stored now is {value}", { option, value: shown(name, stored[name]) })}
            </p>
            <Choice label={t("Keep mine")} name={t("Keep mine: {option}", { option })} onChoose={() => onKeep(name)} />{" "}
            <Choice
              label={t("Use the stored value")}
              name={t("Use the stored value: {option}", { option })}
              onChoose={() => onTake(name)}
            />
          </div>
        );
      })}
    </div>
  );
}

/** @param name says for screen readers which option the button is for */
function Choice({ label, name, onChoose }: { label: string; name: string; onChoose: () => void }) {
  return (
    <Button variant="default" size="compact-xs" aria-label={name} onClick={onChoose}>
      {label}
    </Button>
  );
}

/** A stored value in words, as its field shows it. */
function shown(name: OptionKey, value: Options[OptionKey]): string {
  if (typeof value === "boolean") return t(value ? "On" : "Off");
  if (value === null) return t("No limit");
  if (typeof value === "object") return t("{n} step|{n} steps", { n: value.length });
  const text = patternsOf(String(value ?? "")).join(", ");
  if (text === "") return t("Empty");
  const setting = settingNames.find((one) => one === name);
  const choice = setting && settingOf(setting).choices?.find((one) => one.value === value);
  return choice === undefined ? text : translated(choice.label);
}
