import { Button, Modal, Skeleton, Switch } from "@mantine/core";
import { type Rule, type RuleInput, ruleSpec } from "@web-tester/contracts/entities/rule";
import { hidesAnyWords } from "@web-tester/contracts/rule-width";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { refresh } from "../../api/live/use-live.js";
import { rulesQuery, testObjectQuery } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import { useConfirm } from "../../ui/dialog/use-confirm.js";
import { Empty, InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { ObjectCrumbs } from "../../ui/layout/object-crumbs.js";
import { Page, PageHead } from "../../ui/layout/page.js";
import { usePageMeta } from "../../ui/page-meta.js";
import { ProgressBar } from "../../ui/progress/progress-bar.js";
import { toast } from "../../ui/toasts/toasts.js";
import { rich, t } from "../../texts/text.js";
import { emptyRule, RuleForm, specOf } from "./rule-form.js";
import { ruleWords } from "./rule-words.js";
import { useRules } from "./use-rules.js";
import rowClasses from "../../ui/layout/rows.module.css";
import classes from "./rules.module.css";

/** What does not count as a change on one site: rules in force, proposed ones, and finding noise. */
export function RulesPage({ id }: { id: string }) {
  const client = useQueryClient();
  const object = useQuery(testObjectQuery(client, id)).data;
  const query = useQuery({
    ...rulesQuery(id),
    refetchInterval: object?.progress.rules.running === true ? 2_000 : false,
  });
  const rules = useRules(id);
  const [search, setSearch] = useSearchParams();
  const prefilled = readPrefilled(search.get("ignore"));
  const [edited, setEdited] = useState<Rule | "new" | undefined>(prefilled === undefined ? undefined : "new");
  const close = () => {
    setEdited(undefined);
    setSearch({}, { replace: true });
  };
  const [dialog, ask] = useConfirm();
  usePageMeta(
    t("Rules of {name}", { name: object?.name ?? t("a test object") }),
    t("What does not count as a change."),
    `/objects/${id}/rules`,
  );
  const attempt = (work: Promise<unknown>) => void work.catch((error: unknown) => toast("error", messageOf(error)));
  const findNoise = async (fetch: boolean) => {
    const { total } = await call("findNoise", { params: { id }, body: { fetch } });
    const pages = counted(total, "page");
    toast("info", t(fetch ? "Fetching {pages} twice…" : "Looking at the snapshots of {pages}…", { pages }));
    refresh(client, id);
  };
  const items = query.data?.items ?? [];
  const proposed = items.filter(({ state }) => state === "proposed");
  const others = items.filter(({ state }) => state === "active");
  const progress = object?.progress.rules;
  return (
    <Page>
      <PageHead
        above={<ObjectCrumbs id={id} name={object?.name} here={t("Rules")} />}
        title={t("What does not count as a change")}
        actions={
          <>
            <Needs call="findNoise">
              <Button
                variant="default"
                disabled={progress?.running === true}
                title={t("What differed at every fetch so far, or went back and forth; nothing is fetched")}
                onClick={() => attempt(findNoise(false))}
              >
                {t("Look in History")}
              </Button>
            </Needs>
            <Needs call="findNoise">
              <Button
                variant="default"
                disabled={progress?.running === true}
                title={t("Some pages are fetched twice")}
                onClick={() => attempt(findNoise(true))}
              >
                {t("Find Noise")}
              </Button>
            </Needs>
            <Needs call="createRule">
              <Button onClick={() => setEdited("new")}>{t("Add Rule")}</Button>
            </Needs>
          </>
        }
      />
      <div className={rowClasses["sections"]}>
        {progress?.running === true && (
          <ProgressBar
            name={t("Rules over the history")}
            noun={t("pages")}
            completed={progress.completed}
            total={progress.total}
            failed={progress.failed}
          />
        )}
        {query.isPending && <Skeleton height={160} radius={8} />}
        {query.isError && (
          <InlineError
            title={t("The rules could not be loaded")}
            detail={messageOf(query.error)}
            onRetry={() => void query.refetch()}
          />
        )}
        {proposed.length > 0 && (
          <Card title={t("Proposed")} aside={counted(proposed.length, "rule")} flush>
            <ul className={rowClasses["list"]} aria-label={t("Proposed rules")}>
              {proposed.map((rule) => (
                <RuleRow key={rule.id} rule={rule}>
                  <Needs call="updateRule">
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => attempt(rules.update(rule.id, { state: "rejected" }))}
                    >
                      {t("Reject")}
                    </Button>
                  </Needs>
                  <Button size="xs" variant="default" onClick={() => setEdited(rule)}>
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
        )}
        {query.isSuccess && (
          <Card title={t("In force")} aside={counted(others.length, "rule")} flush>
            {others.length === 0 && (
              <Empty title={t("No rules yet")}>
                {rich(
                  "Every difference counts. Choose {choice} in a comparison, add a rule here, or let noise be found: some pages of each kind are fetched twice, and what differs between the two is proposed.",
                  { choice: <b>{t("Ignore this…")}</b> },
                )}
              </Empty>
            )}
            <ul className={rowClasses["list"]} aria-label={t("Rules in force")}>
              {others.map((rule) => (
                <RuleRow key={rule.id} rule={rule}>
                  <Needs call="updateRule">
                    <Switch
                      size="xs"
                      aria-label={t("In force: {note}", { note: rule.note || ruleWords(rule) })}
                      checked={rule.enabled}
                      onChange={(event) => attempt(rules.update(rule.id, { enabled: event.currentTarget.checked }))}
                    />
                  </Needs>
                  <Button size="xs" variant="default" onClick={() => setEdited(rule)}>
                    {t("Edit")}
                  </Button>
                  <Needs call="deleteRule">
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() =>
                        ask(
                          {
                            title: t("Delete rule"),
                            sentence: t("{rule}: what it ignored counts again, in the history too.", {
                              rule: ruleWords(rule),
                            }),
                            losses: [],
                          },
                          () => attempt(rules.remove(rule.id)),
                        )
                      }
                    >
                      {t("Delete")}
                    </Button>
                  </Needs>
                </RuleRow>
              ))}
            </ul>
          </Card>
        )}
      </div>
      <Modal
        opened={edited !== undefined}
        onClose={close}
        title={edited === "new" ? t("Ignore something") : t("Rule")}
        size="lg"
      >
        {edited !== undefined && (
          <RuleForm
            objectId={id}
            initial={
              edited === "new"
                ? { ...emptyRule, ...prefilled }
                : { ...emptyRule, ...specOf(edited), path: edited.path, note: edited.note, enabled: edited.enabled }
            }
            ruleId={edited === "new" ? undefined : edited.id}
            onSave={async (rule) => {
              await (edited === "new"
                ? rules.create(rule)
                : rules.update(edited.id, { ...patchOf(rule), state: "active" }));
              close();
            }}
            onCancel={close}
          />
        )}
      </Modal>
      {dialog}
    </Page>
  );
}

/** The rule that a link proposes, such as one for a changed file of a review. */
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
          {hidesAnyWords(rule) && t("; hides whatever is said there, an edit too")}
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

function patchOf(rule: RuleInput) {
  return { ...specOf(rule), path: rule.path, note: rule.note, enabled: rule.enabled };
}
