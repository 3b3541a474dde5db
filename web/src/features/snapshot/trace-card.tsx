import { Button, SegmentedControl, TextInput } from "@mantine/core";
import type { TestSnapshot, TextTrace } from "@web-tester/contracts/entities/snapshot";
import { type ContentForm, contentForm } from "@web-tester/contracts/entities/vocabulary";
import { useQuery } from "@tanstack/react-query";
import { IconGitCompare } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { traceQuery } from "../../api/queries.js";
import { InlineError } from "../../ui/feedback/states.js";
import { formatDate } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { Card } from "../../ui/layout/card.js";
import { type Label, rich, t } from "../../texts/text.js";
import classes from "./snapshot.module.css";

/** The parameters of the address that hold what is traced. */
export const traceParams = { line: "line", text: "text", form: "form" } as const;

const formLabels: Record<ContentForm, Label> = { source: "Source", formatted: "Formatted", text: "Text" };

/** A card that finds when a line or a text came to the page, and when it went. */
export function TraceCard({ snapshot }: { snapshot: TestSnapshot }) {
  const [params] = useSearchParams();
  const form = contentForm.safeParse(params.get(traceParams.form)).data ?? "source";
  const line = Number(params.get(traceParams.line) ?? "");
  const text = params.get(traceParams.text) ?? "";
  const asked = line > 0 ? { as: form, line } : text === "" ? undefined : { as: form, text };
  return (
    <Card title={t("Since when?")} className={classes["card"]}>
      <p className={classes["sentence"]}>
        {t(
          "Shows which snapshot added a text or a line of this page, and which one removed it. Or click a line number of the HTML.",
        )}
      </p>
      <TraceForm form={form} line={line} text={text} />
      {asked !== undefined && <Answer id={snapshot.id} asked={asked} />}
    </Card>
  );
}

interface TraceFormProps {
  form: ContentForm;
  /** The line that is traced; 0: none. */
  line: number;
  text: string;
}

function TraceForm({ form, line, text }: TraceFormProps) {
  const ask = useAsking();
  const { typed, setTyped, by, setBy } = useTyped(line, text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask({ by, typed, form });
  };
  const isNoLine = by === "line" && typed !== "" && !/^[1-9]\d{0,7}$/.test(typed.trim());
  return (
    <form className={classes["trace"]} onSubmit={submit}>
      <ByControl by={by} onBy={setBy} />
      <TextInput
        className={classes["traced"]}
        aria-label={by === "line" ? t("Number of the line") : t("Text to look for")}
        placeholder={by === "line" ? t("Number of a line, from 1") : t("A text as it stands on the page")}
        inputMode={by === "line" ? "numeric" : "text"}
        maxLength={1_000}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={isNoLine ? t("Enter a line number, from 1") : undefined}
      />
      <SegmentedControl
        size="xs"
        aria-label={t("Form of the page")}
        value={form}
        onChange={(value) => ask({ by, typed, form: contentForm.parse(value) })}
        data={contentForm.options.map((value) => ({ value, label: t(formLabels[value]) }))}
      />
      <Button type="submit" variant="default" disabled={typed.trim() === "" || isNoLine}>
        {t("Find")}
      </Button>
    </form>
  );
}

/** The input: a text, or the number of the line that was clicked in the HTML. */
function useTyped(line: number, text: string) {
  const [typed, setTyped] = useState(line > 0 ? String(line) : text);
  const [by, setBy] = useState<"text" | "line">(line > 0 ? "line" : "text");
  const [shown, setShown] = useState(line);
  if (line !== shown) {
    setShown(line);
    if (line > 0) {
      setTyped(String(line));
      setBy("line");
    }
  }
  return { typed, setTyped, by, setBy };
}

function ByControl({ by, onBy }: { by: "text" | "line"; onBy: (by: "text" | "line") => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={t("What to look for")}
      value={by}
      onChange={(value) => onBy(value === "line" ? "line" : "text")}
      data={[
        { value: "text", label: t("Text") },
        { value: "line", label: t("Line") },
      ]}
    />
  );
}

/** Writes what to trace to the address. */
function useAsking() {
  const [, setParams] = useSearchParams();
  return (next: { by: "text" | "line"; typed: string; form: ContentForm }) =>
    setParams(
      (now) => {
        for (const name of Object.values(traceParams)) now.delete(name);
        if (next.typed.trim() === "") return now;
        now.set(next.by === "line" ? traceParams.line : traceParams.text, next.typed);
        if (next.form !== "source") now.set(traceParams.form, next.form);
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
}

function Answer({ id, asked }: { id: string; asked: Parameters<typeof traceQuery>[1] }) {
  const query = useQuery(traceQuery(id, asked));
  if (query.isPending)
    return (
      <p className={classes["answer"]} role="status">
        {t("Reading earlier snapshots…")}
      </p>
    );
  if (query.isError)
    return (
      <InlineError
        title={t("That could not be found out")}
        detail={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  return <Found trace={query.data} isLine={asked.line !== undefined} />;
}

function Found({ trace, isLine }: { trace: TextTrace; isLine: boolean }) {
  const { present, text, reads, passed } = trace;
  const versions = counted(trace.versions, "version");
  return (
    <div className={classes["answer"]} role="status">
      {isLine && <code className={classes["tracedLine"]}>{text === "" ? t("(an empty line)") : text}</code>}
      <dl className={classes["since"]}>
        <dt className="label">{present ? t("Came") : t("Went")}</dt>
        <dd>
          <Began trace={trace} />
        </dd>
        <dt className="label">{present ? t("Went") : t("Came")}</dt>
        <dd>
          <Ended trace={trace} />
        </dd>
      </dl>
      <p className="label">
        {passed === 0
          ? t("{versions} of the page, {reads} read.", { versions, reads })
          : t("{versions} of the page, {reads} read: text that came and went between two of these is not found.", {
              versions,
              reads,
            })}
      </p>
    </div>
  );
}

function Began({ trace: { present, before, first } }: { trace: TextTrace }) {
  if (before === null)
    return rich(
      present
        ? "The page has it since its first snapshot, {first}"
        : "The page lacks it since its first snapshot, {first}",
      { first: <Named of={first} /> },
    );
  return (
    <>
      {rich(present ? "With {first}; {before} does not have it" : "With {first}; {before} still has it", {
        first: <Named of={first} />,
        before: <Named of={before} />,
      })}{" "}
      <CompareLink a={before.id} b={first.id} />
    </>
  );
}

function Ended({ trace: { present, last, after } }: { trace: TextTrace }) {
  if (after === null)
    return rich(
      present
        ? "The page has it up to its newest snapshot, {last}"
        : "The page lacks it up to its newest snapshot, {last}",
      { last: <Named of={last} /> },
    );
  return (
    <>
      {rich(present ? "With {first}; {before} still has it" : "With {first}; {before} does not have it", {
        first: <Named of={after} />,
        before: <Named of={last} />,
      })}{" "}
      <CompareLink a={last.id} b={after.id} />
    </>
  );
}

function Named({ of }: { of: TextTrace["first"] }) {
  return (
    <>
      <Link className={classes["named"]} to={`/snapshots/${of.id}`}>
        #{of.number}
      </Link>{" "}
      ({formatDate(of.created_at)})
    </>
  );
}

function CompareLink({ a, b }: { a: string; b: string }) {
  return (
    <Button
      component={Link}
      to={`/diff?a=${a}&b=${b}`}
      size="compact-xs"
      variant="subtle"
      leftSection={<IconGitCompare size={13} aria-hidden />}
    >
      {t("Compare")}
    </Button>
  );
}
