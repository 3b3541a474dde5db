import { Button } from "@mantine/core";
import { settingNames, settingOf } from "@web-tester/contracts/object-settings";
import { t, translated } from "../../texts/text.js";
import type { EditedKey, Stored } from "./drafts.js";
import { labelOf } from "./option-faults.js";
import { patternsOf } from "./options.js";
import classes from "./rail.module.css";

/** Names what was edited here and meanwhile saved elsewhere, and lets the person choose a value for each. */
export function EditConflicts({
  names,
  stored,
  onKeep,
  onTake,
}: {
  names: readonly EditedKey[];
  stored: Stored;
  onKeep: (name: EditedKey) => void;
  onTake: (name: EditedKey) => void;
}) {
  if (names.length === 0) return null;
  return (
    <div className={classes["stack"]} role="alert" data-tone="changed">
      <p className="strong">{t("Saved elsewhere while you edited")}</p>
      {names.map((name) => {
        const option = labelOfEdited(name);
        return (
          <div key={name}>
            <p className="label">{storedWords(name, option, stored)}</p>
            <Choice
              label={t("Keep mine")}
              name={t("Keep mine: {option}", { option })}
              onChoose={() => onKeep(name)}
            />{" "}
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

function labelOfEdited(name: EditedKey): string {
  if (name === "name") return t("Name");
  return name === "url" ? t("URL") : labelOf(name);
}

/** Says what is stored now; of a secret only that it is another one, or none. */
function storedWords(name: EditedKey, option: string, { versions, ...stored }: Stored): string {
  // the steps of a login are shown, though not what they fill in
  if (name !== "secret" && name !== "headers")
    return t("{option}: stored now is {value}", { option, value: shown(name, stored[name]) });
  return versions?.[name] === null
    ? t("{option}: nothing is stored any more", { option })
    : t("{option}: others are stored now, which are never shown", { option });
}

/** A stored value in words, as its field shows it. */
function shown(name: EditedKey, value: Stored[EditedKey]): string {
  if (typeof value === "boolean") return t(value ? "On" : "Off");
  if (value === null) return t("No limit");
  if (typeof value === "object") return t("{n} step|{n} steps", { n: value.length });
  const text = patternsOf(String(value ?? "")).join(", ");
  if (text === "") return t("Empty");
  const setting = settingNames.find((one) => one === name);
  const choice = setting && settingOf(setting).choices?.find((one) => one.value === value);
  return choice === undefined ? text : translated(choice.label);
}
