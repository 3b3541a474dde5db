import { ActionIcon, Button, PasswordInput, Select, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { type Label, t } from "../../texts/text.js";
import type { StepDraft } from "./options.js";
import type { OptionsDraft } from "./setting-fields.js";
import { TryLogin } from "./try-login.js";
import classes from "./login-fields.module.css";

const kinds: { value: StepDraft["do"]; label: Label }[] = [
  { value: "open", label: "Open" },
  { value: "fill", label: "Fill" },
  { value: "click", label: "Click" },
  { value: "wait", label: "Wait for" },
];

const blank: StepDraft = { do: "fill", url: "", selector: "", value: "" };

interface Props extends Omit<OptionsDraft, "faults"> {
  objectId: string;
  siteUrl: string;
  /** Whether there are unsaved changes, so that a try would not use what is on the screen. */
  changed: boolean;
}

/** Edits how the product signs in at the site: steps that a browser performs, once in each run. */
export function LoginFields({ objectId, siteUrl, options, set, changed }: Props) {
  const steps = options.login;
  const change = (next: StepDraft[]) => set({ login: next });
  const edit = (at: number, part: Partial<StepDraft>) =>
    change(steps.map((step, index) => (index === at ? { ...step, ...part } : step)));
  return (
    <div className={classes["login"]}>
      {steps.length > 0 && (
        <ol className={classes["steps"]} aria-label={t("Login steps")}>
          {steps.map((step, index) => (
            <li key={index} className={classes["step"]}>
              <StepFields step={step} number={index + 1} onEdit={(part) => edit(index, part)} />
              <StepActs
                index={index}
                count={steps.length}
                onMove={(by) => change(moved(steps, index, by))}
                onRemove={() => change(steps.filter((_, at) => at !== index))}
              />
            </li>
          ))}
        </ol>
      )}
      <div className={classes["buttons"]}>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change(steps.length === 0 ? usualSteps(siteUrl) : [...steps, blank])}
        >
          {steps.length === 0 ? t("Add a login") : t("Add step")}
        </Button>
        {steps.length > 0 && <TryLogin objectId={objectId} disabled={changed} />}
      </div>
    </div>
  );
}

function moved(steps: readonly StepDraft[], at: number, by: -1 | 1): StepDraft[] {
  const next = [...steps];
  const [step] = next.splice(at, 1);
  if (step !== undefined) next.splice(at + by, 0, step);
  return next;
}

/** The steps of nearly every login. */
const usualSteps = (siteUrl: string): StepDraft[] => [
  { ...blank, do: "open", url: siteUrl },
  { ...blank, selector: "input[type=email], input[name=username]" },
  { ...blank, selector: "input[type=password]" },
  { ...blank, do: "click", selector: "button[type=submit]" },
];

interface StepActsProps {
  index: number;
  /** The number of all steps. */
  count: number;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

function StepActs({ index, count, onMove, onRemove }: StepActsProps) {
  return (
    <span className={classes["acts"]}>
      <StepAct
        label={t("Move step {index} up", { index: index + 1 })}
        disabled={index === 0}
        onClick={() => onMove(-1)}
      >
        <IconArrowUp size={14} aria-hidden />
      </StepAct>
      <StepAct
        label={t("Move step {index} down", { index: index + 1 })}
        disabled={index === count - 1}
        onClick={() => onMove(1)}
      >
        <IconArrowDown size={14} aria-hidden />
      </StepAct>
      <StepAct label={t("Remove step {index}", { index: index + 1 })} onClick={onRemove}>
        <IconTrash size={14} aria-hidden />
      </StepAct>
    </span>
  );
}

function StepAct({
  label,
  disabled = false,
  onClick,
  children,
}: {
  label: string;
  disabled?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <ActionIcon variant="subtle" size="sm" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      {children}
    </ActionIcon>
  );
}

interface StepFieldsProps {
  step: StepDraft;
  number: number;
  onEdit: (part: Partial<StepDraft>) => void;
}

function StepFields({ step, number, onEdit }: StepFieldsProps) {
  return (
    <div className={classes["fields"]}>
      <Select
        aria-label={t("What step {number} does", { number })}
        size="xs"
        allowDeselect={false}
        data={kinds.map(({ value, label }) => ({ value, label: t(label) }))}
        value={step.do}
        onChange={(kind) => onEdit({ do: kinds.find(({ value }) => value === kind)?.value ?? step.do })}
      />
      {step.do === "open" ? (
        <TextInput
          size="xs"
          aria-label={t("Address of step {number}", { number })}
          placeholder="https://example.com/login"
          data-mono
          value={step.url}
          onChange={(event) => onEdit({ url: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          size="xs"
          aria-label={t("CSS selector of step {number}", { number })}
          placeholder={t("CSS selector")}
          data-mono
          value={step.selector}
          onChange={(event) => onEdit({ selector: event.currentTarget.value })}
        />
      )}
      {step.do === "fill" && <ValueField step={step} number={number} onEdit={onEdit} />}
    </div>
  );
}

/** Edits the value that a step fills in; it is a secret that is never shown. */
function ValueField({ step, number, onEdit }: StepFieldsProps) {
  return (
    <PasswordInput
      size="xs"
      className={classes["value"] ?? ""}
      aria-label={t("Value of step {number}", { number })}
      placeholder={step.value === undefined ? t("Stored, type to replace") : t("Value")}
      autoComplete="new-password"
      value={step.value ?? ""}
      onChange={(event) => onEdit({ value: event.currentTarget.value })}
    />
  );
}
