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

/** How the product signs in at the site: steps that are done in a browser, once in each run. */
export function LoginFields({
  objectId,
  siteUrl,
  options,
  set,
  changed,
}: OptionsDraft & {
  objectId: string;
  siteUrl: string;
  /** Whether there is something to be saved, so that what would be tried is not what is seen. */
  changed: boolean;
}) {
  const steps = options.login;
  const change = (next: StepDraft[]) => set({ login: next });
  const edit = (at: number, part: Partial<StepDraft>) =>
    change(steps.map((step, index) => (index === at ? { ...step, ...part } : step)));
  const move = (at: number, by: -1 | 1) => {
    const next = [...steps];
    const [step] = next.splice(at, 1);
    if (step !== undefined) next.splice(at + by, 0, step);
    change(next);
  };
  return (
    <div className={classes["login"]}>
      {steps.length > 0 && (
        <ol className={classes["steps"]} aria-label={t("Login steps")}>
          {steps.map((step, index) => (
            <li key={index} className={classes["step"]}>
              <StepFields step={step} number={index + 1} onEdit={(part) => edit(index, part)} />
              <span className={classes["acts"]}>
                <StepAct
                  label={t("Move step {index} up", { index: index + 1 })}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                >
                  <IconArrowUp size={14} aria-hidden />
                </StepAct>
                <StepAct
                  label={t("Move step {index} down", { index: index + 1 })}
                  disabled={index === steps.length - 1}
                  onClick={() => move(index, 1)}
                >
                  <IconArrowDown size={14} aria-hidden />
                </StepAct>
                <StepAct
                  label={t("Remove step {index}", { index: index + 1 })}
                  onClick={() => change(steps.filter((_, at) => at !== index))}
                >
                  <IconTrash size={14} aria-hidden />
                </StepAct>
              </span>
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

/** What nearly every login is. */
const usualSteps = (siteUrl: string): StepDraft[] => [
  { ...blank, do: "open", url: siteUrl },
  { ...blank, selector: "input[type=email], input[name=username]" },
  { ...blank, selector: "input[type=password]" },
  { ...blank, do: "click", selector: "button[type=submit]" },
];

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

function StepFields({
  step,
  number,
  onEdit,
}: {
  step: StepDraft;
  number: number;
  onEdit: (part: Partial<StepDraft>) => void;
}) {
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
      {step.do === "fill" && (
        <PasswordInput
          size="xs"
          className={classes["value"] ?? ""}
          aria-label={t("Value of step {number}", { number })}
          placeholder={step.value === undefined ? t("Stored, type to replace") : t("Value")}
          autoComplete="new-password"
          value={step.value ?? ""}
          onChange={(event) => onEdit({ value: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
