import { Button, Modal, Skeleton, Switch } from "@mantine/core";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { type Rule, type RuleInput, type RulePatch, ruleSpec } from "@web-tester/contracts/entities/rule";
import { hidesAnyWords } from "@web-tester/contracts/rule-width";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { editedFields } from "../../api/edited-fields.js";
import { refresh } from "../../api/live/use-live.js";
import { rulesQuery, testObjectQuery } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import type { Confirmation } from "../../ui/dialog/confirm-dialog.js";
import { useConfirm } from "../../ui/dialog/use-confirm.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { Announcer } from "../../ui/progress/announcer.js";
import { ProgressBar } from "../../ui/progress/progress-bar.js";
import { rulesBarName } from "../../ui/progress/rules-bar-name.js";
import { toast } from "../../ui/toasts/toasts.js";
import { rich, t } from "../../texts/text.js";
import { emptyRule, RuleForm, specOf } from "./rule-form.js";
import { ruleWords } from "./rule-words.js";
import { useRules } from "./use-rules.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./rules.module.css";

/** The page of one site's rules for what does not count as a change: active ones, proposed ones, and the search for noise. */
export function RulesPage({ id }: { id: string }) {
  const client = useQueryClient();
  const object = useQuery(testObjectQuery(client, id)).data;
  const query = useQuery({
    ...rulesQuery(id),
    refetchInterval: object?.progress.rules.running === true ? 2_000 : false,
  });
  const { edited, prefilled, edit, close } = useEdited();
  const rules = useRules(id);
  const [dialog, ask] = useConfirm();
  usePageMeta(
    t("Rules of {name}", { name: object?.name ?? t("a test object") }),
    t("What does not count as a change."),
    `/objects/${id}/rules`,
  );
  const items = query.data?.items ?? [];
  const proposed = items.filter(({ state }) => state === "proposed");
  const others = items.filter(({ state }) => state === "active");
  const progress = object?.progress.rules;
  return (
    <Page>
      <Announcer words={progress?.running === true ? announced(progress) : ""} />
      <PageHead
        above={<ObjectCrumbs id={id} name={object?.name} here={t("Rules")} />}
        title={t("What does not count as a change")}
        actions={<Actions id={id} isRunning={progress?.running === true} onAdd={() => edit("new")} />}
      />
      <div className={rowClasses["sections"]}>
        {query.isPending && <Skeleton height={160} radius={8} />}
        {query.isError && <Failed error={query.error} onRetry={() => void query.refetch()} />}
        {proposed.length > 0 && <Proposed proposed={proposed} rules={rules} onEdit={edit} />}
        {query.isSuccess && <InForce active={others} rules={rules} onEdit={edit} ask={ask} />}
        {/* last, as it comes and goes by itself: above, it would move the buttons from under the pointer */}
        {progress?.running === true && <Evaluating progress={progress} />}
      </div>
      <RuleDialog id={id} edited={edited} prefilled={prefilled} rules={rules} onClose={close} />
      {dialog}
    </Page>
  );
}

/** The announcement for screen readers of what is running. */
const announced = (progress: TestObject["progress"]["rules"]) =>
  `${t("{name}: {completed} of {total} {noun}", { ...progress, name: rulesBarName(progress), noun: t("pages") })}.`;

/** Shows the progress of applying the rules to earlier snapshots, or of the search for noise. */
function Evaluating({ progress }: { progress: TestObject["progress"]["rules"] }) {
  return (
    <ProgressBar
      name={rulesBarName(progress)}
      noun={t("pages")}
      completed={progress.completed}
      total={progress.total}
      failed={progress.failed}
    />
  );
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return <InlineError title={t("The rules could not be loaded")} detail={messageOf(error)} onRetry={onRetry} />;
}

/** What is being edited: an existing rule, or a new one, which a link may have filled in. */
function useEdited() {
  const [search, setSearch] = useSearchParams();
  const prefilled = readPrefilled(search.get("ignore"));
  const [edited, edit] = useState<Rule | "new" | undefined>(prefilled === undefined ? undefined : "new");
  const close = () => {
    edit(undefined);
    setSearch({}, { replace: true });
  };
  return { edited, prefilled, edit, close };
}

const attempt = (work: Promise<unknown>) => void work.catch((error: unknown) => toast("error", messageOf(error)));

interface ActionsProps {
  id: string;
  /** Whether rules are being evaluated, or noise is being searched for. */
  isRunning: boolean;
  onAdd: () => void;
}

function Actions({ id, isRunning, onAdd }: ActionsProps) {
  const client = useQueryClient();
  const findNoise = async (fetch: boolean) => {
    const { total } = await call("findNoise", { params: { id }, body: { fetch } });
    const pages = counted(total, "page");
    toast("info", t(fetch ? "Fetching {pages} twice…" : "Checking the snapshots of {pages}…", { pages }));
    refresh(client, id);
  };
  return (
    <>
      <Needs call="findNoise">
        <Button
          variant="default"
          disabled={isRunning}
          title={t("Finds what differed at every fetch so far, or went back and forth; fetches nothing")}
          onClick={() => attempt(findNoise(false))}
        >
          {t("Look in History")}
        </Button>
      </Needs>
      <Needs call="findNoise">
        <Button
          variant="default"
          disabled={isRunning}
          title={t("Some pages are fetched twice")}
          onClick={() => attempt(findNoise(true))}
        >
          {t("Find Noise")}
        </Button>
      </Needs>
      <Needs call="createRule">
        <Button onClick={onAdd}>{t("Add Rule")}</Button>
      </Needs>
    </>
  );
}

interface RowsProps {
  rules: ReturnType<typeof useRules>;
  onEdit: (rule: Rule) => void;
}

function Proposed({ proposed, rules, onEdit }: RowsProps & { proposed: readonly Rule[] }) {
  return (
    <Card title={t("Proposed")} aside={counted(proposed.length, "rule")} flush>
      <ul className={rowClasses["list"]} aria-label={t("Proposed rules")}>
        {proposed.map((rule) => (
          <RuleRow key={rule.id} rule={rule}>
            <Needs call="updateRule">
              <Button size="xs" variant="default" onClick={() => attempt(rules.update(rule.id, { state: "rejected" }))}>
                {t("Reject")}
              </Button>
            </Needs>
            <Button size="xs" variant="default" onClick={() => onEdit(rule)}>
              {t("Look")}
            </Button>
            <Needs call="updateRule">
              <Button size="xs" onClick={() => attempt(rules.update(rule.id, { state: "active" }))}>
                {t("Apply")}
              </Button>
            </Needs>
          </RuleRow>
        ))}
      </ul>
    </Card>
  );
}

interface InForceProps extends RowsProps {
  active: readonly Rule[];
  ask: ReturnType<typeof useConfirm>[1];
}

function InForce({ active, rules, onEdit, ask }: InForceProps) {
  return (
    <Card title={t("In force")} aside={counted(active.length, "rule")} flush>
      {active.length === 0 && (
        <Empty title={t("No rules yet")}>
          {rich(
            "Every difference counts. Choose {choice} in a comparison, add a rule here, or let noise be found: some pages of each kind are fetched twice, and what differs between the two is proposed.",
            { choice: <b>{t("Ignore this…")}</b> },
          )}
        </Empty>
      )}
      <ul className={rowClasses["list"]} aria-label={t("Rules in force")}>
        {active.map((rule) => (
          <ActiveRow key={rule.id} rule={rule} rules={rules} onEdit={onEdit} ask={ask} />
        ))}
      </ul>
    </Card>
  );
}

function ActiveRow({ rule, rules, onEdit, ask }: Omit<InForceProps, "active"> & { rule: Rule }) {
  return (
    <RuleRow rule={rule}>
      <Needs call="updateRule">
        <Switch
          size="xs"
          aria-label={t("In force: {note}", { note: rule.note || ruleWords(rule) })}
          checked={rule.enabled}
          onChange={(event) => attempt(rules.update(rule.id, { enabled: event.currentTarget.checked }))}
        />
      </Needs>
      <Button size="xs" variant="default" onClick={() => onEdit(rule)}>
        {t("Edit")}
      </Button>
      <Needs call="deleteRule">
        <Button size="xs" variant="default" onClick={() => ask(deletionOf(rule), () => attempt(rules.remove(rule.id)))}>
          {t("Delete")}
        </Button>
      </Needs>
    </RuleRow>
  );
}

const deletionOf = (rule: Rule): Confirmation => ({
  title: t("Delete rule"),
  sentence: t("{rule}: what it ignored counts again, in the history too.", {
    rule: ruleWords(rule),
  }),
  losses: [],
});

interface DialogProps {
  id: string;
  edited: Rule | "new" | undefined;
  prefilled: Partial<RuleInput> | undefined;
  rules: ReturnType<typeof useRules>;
  onClose: () => void;
}

function RuleDialog({ id, edited, prefilled, rules, onClose }: DialogProps) {
  return (
    <Modal
      opened={edited !== undefined}
      onClose={onClose}
      title={edited === "new" ? t("Ignore something") : t("Rule")}
      size="lg"
    >
      {edited !== undefined && (
        <RuleForm
          objectId={id}
          initial={
            edited === "new"
              ? { ...emptyRule, ...prefilled }
              : { ...emptyRule, ...shownOf(edited), enabled: edited.enabled }
          }
          ruleId={edited === "new" ? undefined : edited.id}
          onSave={async (rule) => {
            await (edited === "new"
              ? rules.create(rule)
              : rules.update(edited.id, { ...editsOf(edited, rule), state: "active" }));
            onClose();
          }}
          onCancel={onClose}
        />
      )}
    </Modal>
  );
}

/** Reads the rule that a link proposes, for example one for a changed file of a review. */
function readPrefilled(text: string | null): Partial<RuleInput> | undefined {
  if (text === null) return undefined;
  try {
    return ruleSpec.partial().parse(JSON.parse(text));
  } catch {
    return {};
  }
}

function RuleRow({ rule, children }: { rule: Rule; children: React.ReactNode }) {
  const title = ruleWords(rule);
  const { evidence } = rule;
  return (
    <li className={rowClasses["foldingRow"]} data-off={!rule.enabled || undefined}>
      <div>
        <span className={rowClasses["title"]}>{rule.note || title}</span>
        {rule.note !== "" && rule.note !== title && <div className={`${classes["code"]} text-2`}>{title}</div>}
        <div className="label">
          {rule.testobject_id === null ? t("All test objects") : t("This test object")}
          {rule.path !== "*" && rule.path !== "" && `, ${t("on {path}", { path: rule.path })}`}
          {", "}
          {t(rule.author === "noise" ? "found {at}" : "made {at}", { at: formatDate(rule.created_at) })}
          {hidesAnyWords(rule) && t("; hides anything there, even edits")}
        </div>
        {evidence !== null && (
          <div className="label">
            {t(
              evidence.compared === undefined
                ? "Differed on {count} of {pages} that were fetched twice"
                : "Differed {times} on {count} of {pages}, in the fetches so far",
              {
                count: evidence.pages,
                pages: counted(evidence.looked, "page"),
                times: counted(evidence.times ?? 0, "time"),
              },
            )}
            {evidence.share > 0.05 &&
              t("; covers {percent} % of a page's text", { percent: Math.round(evidence.share * 100) })}
            {evidence.values.length > 0 && (
              <>{t(". Seen: {values}", { values: evidence.values.slice(0, 3).join(" · ") })}</>
            )}
          </div>
        )}
      </div>
      <div className={rowClasses["acts"]}>{children}</div>
    </li>
  );
}

/** The fields of a rule that its form shows. */
const shownOf = ({ path, note, ...rule }: Rule | RuleInput) => ({ ...specOf(rule), path, note });

/** What was edited in a rule; what it ignores is said by several fields together, so that these are sent all or none. */
function editsOf(before: Rule, rule: RuleInput): RulePatch {
  const edits = editedFields(shownOf(before), shownOf(rule));
  const { path: _path, note: _note, ...spec } = edits;
  return Object.keys(spec).length === 0 ? edits : { ...edits, ...specOf(rule) };
}
