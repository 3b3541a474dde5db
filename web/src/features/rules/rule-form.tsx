import { Button, Select, Switch, TextInput } from "@mantine/core";
import { type RuleInput, type RuleKind, ruleKind, type RuleSpec } from "@web-tester/contracts/entities/rule";
import { useState } from "react";
import { useSaving } from "../../api/use-saving.js";
import { type Label, t } from "../../texts/text.js";
import { RulePreview } from "./rule-preview.js";
import formClasses from "../../ui/layout/form.module.css";
import { Needs } from "../../ui/access/needs.js";

const kindWords: Readonly<Record<RuleKind, Label>> = {
  element: "Elements",
  attribute: "An attribute, or a parameter of its address",
  text: "A text",
  between: "The text between two texts",
  keep: "Everything except some elements",
  order: "The order of elements inside another",
  file: "Files",
  header: "A header, the status or the title",
  markup: "All markup, so that only text and links count",
};

export const emptyRule: RuleInput = {
  ...{ kind: "element", selector: null, name: null, parameter: null, pattern: null, syntax: "literal" },
  ...{ before: null, after: null, path: "*", note: "", enabled: true, scope: "object" },
};

/** The part of a rule that says what it ignores. */
export function specOf({ kind, selector, name, parameter, pattern, syntax, before, after }: RuleSpec): RuleSpec {
  return { kind, selector, name, parameter, pattern, syntax, before, after };
}

/** Whether a rule is complete enough for a preview. */
function isComplete({ kind, selector, name, pattern, before, after }: RuleInput): boolean {
  const has = (text: string | null) => text !== null && text.trim() !== "";
  if (kind === "attribute") return has(selector) && has(name);
  if (kind === "text" || kind === "file") return has(pattern);
  if (kind === "between") return has(before) && has(after);
  if (kind === "markup") return true;
  return kind === "header" ? has(name) : has(selector);
}

/** The label of the pattern: for text it says what to ignore; for an element or attribute, which of its values. */
function patternLabel({ kind, syntax }: RuleInput): string {
  if (kind !== "text") return t("Only if it matches");
  return syntax === "re2" ? t("Expression") : t("Text");
}

function patternHint({ kind, syntax }: RuleInput): string {
  if (kind !== "text")
    return syntax === "re2"
      ? t("RE2 for the whole content; empty for anything, even edits")
      : t("The whole content, * for anything; empty for anything, even edits");
  return syntax === "re2"
    ? t("RE2; if it has groups, only these are ignored")
    : t("As in the page's source; * for a few characters");
}

interface Props {
  objectId: string;
  initial: RuleInput;
  /** Id of the rule that is edited; missing for a new one. */
  ruleId?: string | undefined;
  onSave: (rule: RuleInput) => Promise<unknown>;
  onCancel: () => void;
}

/** A form for what to ignore, with a preview of what that would hide before it is saved. */
export function RuleForm({ objectId, initial, ruleId, onSave, onCancel }: Props) {
  const [rule, setRule] = useState(initial);
  const { problem, isSaving, save } = useSaving();
  const change = (fields: Partial<RuleInput>) => setRule((now) => ({ ...now, ...fields }));
  return (
    <form
      className={formClasses["fields"]}
      onSubmit={(event) => {
        event.preventDefault();
        void save(() => onSave(rule));
      }}
    >
      <KindFields rule={rule} change={change} />
      <PlaceAndNote rule={rule} change={change} />
      {ruleId === undefined && (
        <Switch
          size="xs"
          label={t("For all test objects")}
          checked={rule.scope === "all"}
          onChange={(event) => change({ scope: event.currentTarget.checked ? "all" : "object" })}
        />
      )}
      {isComplete(rule) && <RulePreview objectId={objectId} rule={rule} ruleId={ruleId} />}
      {problem !== undefined && (
        <p role="alert" data-tone="failed">
          {problem}
        </p>
      )}
      <Ends isNew={ruleId === undefined} isSaving={isSaving} isComplete={isComplete(rule)} onCancel={onCancel} />
    </form>
  );
}

interface EndsProps extends Pick<Props, "onCancel"> {
  isNew: boolean;
  isSaving: boolean;
  isComplete: boolean;
}

function Ends({ isNew, isSaving, isComplete: isSaid, onCancel }: EndsProps) {
  return (
    <div className={formClasses["ends"]}>
      <Button variant="default" onClick={onCancel}>
        {t("Cancel")}
      </Button>
      <Needs call={isNew ? "createRule" : "updateRule"}>
        <Button type="submit" loading={isSaving} disabled={!isSaid}>
          {isNew ? t("Ignore") : t("Save")}
        </Button>
      </Needs>
    </div>
  );
}

interface FieldsProps {
  rule: RuleInput;
  change: (fields: Partial<RuleInput>) => void;
}

/** The fields for what to ignore, depending on the kind. */
function KindFields({ rule, change }: FieldsProps) {
  const { kind } = rule;
  const of = { rule, change };
  return (
    <>
      <KindSelect {...of} />
      {["element", "attribute", "keep", "order"].includes(kind) && (
        <Text field="selector" label={t("CSS selector")} {...of} />
      )}
      {kind === "attribute" && (
        <div className={formClasses["pair"]}>
          <Text field="name" label={t("Attribute")} {...of} />
          <Text
            field="parameter"
            label={t("Only this parameter")}
            hint={t("In the attribute's addresses; empty for all of it")}
            {...of}
          />
        </div>
      )}
      {["element", "attribute", "text"].includes(kind) && <PatternFields {...of} />}
      {kind === "between" && (
        <div className={formClasses["pair"]}>
          <Text field="before" label={t("Text before")} {...of} />
          <Text field="after" label={t("Text behind")} {...of} />
        </div>
      )}
      {kind === "file" && <Text field="pattern" label={t("Address")} hint={t("* for anything")} {...of} />}
      {kind === "header" && (
        <Text
          field="name"
          label={t("Name")}
          hint={t("content-type, content-security-policy, x-robots-tag, location, status, title, canonical or robots")}
          {...of}
        />
      )}
    </>
  );
}

function KindSelect({ rule, change }: FieldsProps) {
  const isMarkup = rule.kind === "markup";
  return (
    <Select
      label={t("Ignore")}
      description={isMarkup ? t("What readers get still counts: words, addresses of links, alternative texts") : null}
      data-autofocus
      allowDeselect={false}
      value={rule.kind}
      data={ruleKind.options.map((value) => ({ value, label: t(kindWords[value]) }))}
      onChange={(value) => change({ kind: ruleKind.parse(value) })}
    />
  );
}

interface TextProps extends FieldsProps {
  field: "selector" | "name" | "parameter" | "pattern" | "before" | "after";
  label: string;
  hint?: string;
}

function Text({ rule, change, field, label, hint }: TextProps) {
  return (
    <TextInput
      label={label}
      description={hint}
      value={rule[field] ?? ""}
      onChange={(event) => change({ [field]: event.currentTarget.value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** The fields of a pattern, as plain text or as a regular expression. */
function PatternFields({ rule, change }: FieldsProps) {
  return (
    <>
      <Text field="pattern" label={patternLabel(rule)} hint={patternHint(rule)} rule={rule} change={change} />
      <Switch
        size="xs"
        label={t("It is a regular expression")}
        checked={rule.syntax === "re2"}
        onChange={(event) => change({ syntax: event.currentTarget.checked ? "re2" : "literal" })}
      />
    </>
  );
}

function PlaceAndNote({ rule, change }: FieldsProps) {
  return (
    <div className={formClasses["pair"]}>
      <TextInput
        label={t("On pages")}
        description={t("Path and query; * matches anything")}
        value={rule.path}
        onChange={(event) => change({ path: event.currentTarget.value })}
      />
      <TextInput
        label={t("Note")}
        description={t("Why it does not matter")}
        value={rule.note}
        onChange={(event) => change({ note: event.currentTarget.value })}
      />
    </div>
  );
}
