import { Button, Select, Switch, TextInput } from "@mantine/core";
import { type RuleInput, type RuleKind, ruleKind, type RuleSpec } from "@web-tester/contracts/entities/rule";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { type Label, t } from "../../texts/text.js";
import { RulePreview } from "./rule-preview.js";
import formClasses from "../../ui/layout/form.module.css";
import { Needs } from "../../ui/access/needs.js";

const kindWords: Readonly<Record<RuleKind, Label>> = {
  element: "Elements",
  attribute: "An attribute, or a parameter of its address",
  text: "A text",
  between: "What stands between two texts",
  keep: "Everything but some elements",
  order: "The order of elements inside another",
  file: "Files",
  header: "A header, the status or the title",
};

export const emptyRule: RuleInput = {
  ...{ kind: "element", selector: null, name: null, parameter: null, pattern: null, syntax: "literal" },
  ...{ before: null, after: null, path: "*", note: "", enabled: true, scope: "object" },
};

/** What a rule ignores, without whatever else is known of it. */
export function specOf({ kind, selector, name, parameter, pattern, syntax, before, after }: RuleSpec): RuleSpec {
  return { kind, selector, name, parameter, pattern, syntax, before, after };
}

/** Whether enough is said to look at what the rule does. */
function isComplete({ kind, selector, name, pattern, before, after }: RuleInput): boolean {
  const has = (text: string | null) => text !== null && text.trim() !== "";
  if (kind === "attribute") return has(selector) && has(name);
  if (kind === "text" || kind === "file") return has(pattern);
  if (kind === "between") return has(before) && has(after);
  return kind === "header" ? has(name) : has(selector);
}

/** Of a text the pattern says where it is; of an element and an attribute, which of their values are meant. */
function patternLabel({ kind, syntax }: RuleInput): string {
  if (kind !== "text") return t("Only where it is like");
  return syntax === "re2" ? t("Expression") : t("Text");
}

function patternHint({ kind, syntax }: RuleInput): string {
  if (kind !== "text")
    return syntax === "re2"
      ? t("RE2, for all that it holds; empty for anything, edits too")
      : t("All that it holds, * for anything; empty for anything, edits too");
  return syntax === "re2"
    ? t("RE2; where it has groups, only these are ignored")
    : t("As in the page's source; * for a few characters");
}

interface Props {
  objectId: string;
  initial: RuleInput;
  /** The rule that is changed; a new one where it is missing. */
  ruleId?: string | undefined;
  onSave: (rule: RuleInput) => Promise<unknown>;
  onCancel: () => void;
}

/** Says what is to be ignored, and shows what that would hide before it is saved. */
export function RuleForm({ objectId, initial, ruleId, onSave, onCancel }: Props) {
  const [rule, setRule] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const change = (fields: Partial<RuleInput>) => setRule((now) => ({ ...now, ...fields }));
  const text = (
    field: "selector" | "name" | "parameter" | "pattern" | "before" | "after",
    label: string,
    hint?: string,
  ) => (
    <TextInput
      label={label}
      description={hint}
      value={rule[field] ?? ""}
      onChange={(event) => change({ [field]: event.currentTarget.value })}
      autoComplete="off"
      spellCheck={false}
    />
  );
  const save = async () => {
    setSaving(true);
    setProblem(undefined);
    try {
      await onSave(rule);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setSaving(false);
  };
  const { kind } = rule;
  return (
    <form
      className={formClasses["fields"]}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Select
        label={t("Ignore")}
        allowDeselect={false}
        value={kind}
        data={ruleKind.options.map((value) => ({ value, label: t(kindWords[value]) }))}
        onChange={(value) => change({ kind: ruleKind.parse(value) })}
      />
      {["element", "attribute", "keep", "order"].includes(kind) && text("selector", t("CSS selector"))}
      {kind === "attribute" && (
        <div className={formClasses["pair"]}>
          {text("name", t("Attribute"))}
          {text("parameter", t("Only this parameter"), t("Of the addresses in it; empty for all of it"))}
        </div>
      )}
      {["element", "attribute", "text"].includes(kind) && (
        <>
          {text("pattern", patternLabel(rule), patternHint(rule))}
          <Switch
            size="xs"
            label={t("It is a regular expression")}
            checked={rule.syntax === "re2"}
            onChange={(event) => change({ syntax: event.currentTarget.checked ? "re2" : "literal" })}
          />
        </>
      )}
      {kind === "between" && (
        <div className={formClasses["pair"]}>
          {text("before", t("Text before"))}
          {text("after", t("Text behind"))}
        </div>
      )}
      {kind === "file" && text("pattern", t("Address"), t("* for anything"))}
      {kind === "header" &&
        text(
          "name",
          t("Name"),
          t("content-type, content-security-policy, x-robots-tag, location, status, title, canonical or robots"),
        )}
      <div className={formClasses["pair"]}>
        <TextInput
          label={t("On pages")}
          description={t("Path and query, * for anything")}
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
      <div className={formClasses["ends"]}>
        <Button variant="default" onClick={onCancel}>
          {t("Cancel")}
        </Button>
        <Needs call={ruleId === undefined ? "createRule" : "updateRule"}>
          <Button type="submit" loading={isSaving} disabled={!isComplete(rule)}>
            {ruleId === undefined ? t("Ignore") : t("Save")}
          </Button>
        </Needs>
      </div>
    </form>
  );
}
