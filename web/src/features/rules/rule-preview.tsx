import { Loader } from "@mantine/core";
import type { RuleInput, RulePreview as Preview } from "@web-tester/contracts/entities/rule";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import classes from "./rules.module.css";

/** Kinds of change that occur at most this often are listed: a rule may hide them by mistake. */
const rareMax = 2;
const shownMax = 10;
const typingMs = 400;

interface Seen {
  /** The rule that was previewed, as text: another rule starts a new preview. */
  readonly of: string;
  readonly preview?: Preview;
  readonly done: boolean;
  readonly problem?: string;
}

interface Props {
  objectId: string;
  rule: RuleInput;
  ruleId?: string | undefined;
}

/** Shows what a rule would do to the changes of the last month, before it is saved; results appear while it is evaluated. */
export function RulePreview({ objectId, rule, ruleId }: Props) {
  const of = JSON.stringify(rule);
  const seen = useSeen(of, objectId, ruleId);
  const isCurrent = seen.of === of;
  const preview = isCurrent ? seen.preview : undefined;
  return (
    <div className={classes["preview"]} aria-live="polite">
      {preview === undefined && seen.problem === undefined && (
        <span>
          <Loader size={12} /> {t("Checking what it would ignore…")}
        </span>
      )}
      {isCurrent && seen.problem !== undefined && <span role="alert">{seen.problem}</span>}
      {preview !== undefined && <Words preview={preview} isDone={seen.done} />}
    </div>
  );
}

/**
 * Evaluates a rule part by part, debounced after typing.
 * @param of the rule as text
 */
function useSeen(of: string, objectId: string, ruleId: string | undefined): Seen {
  const [seen, setSeen] = useState<Seen>({ of, done: false });
  useEffect(() => {
    const stop = new AbortController();
    // parsed from its text, which identifies the rule; invalid rules are rejected by the server
    const asked = JSON.parse(of) as RuleInput;
    const look = async () => {
      let preview: Preview | undefined;
      try {
        for (let cursor: string | undefined; ;) {
          const body = {
            ...asked,
            ...(ruleId === undefined ? {} : { rule_id: ruleId }),
            ...(cursor === undefined ? {} : { cursor }),
          };
          const part = await call("previewRule", { params: { id: objectId }, body, signal: stop.signal });
          preview = preview === undefined ? part : joined(preview, part);
          cursor = part.next_cursor ?? undefined;
          setSeen({ of, preview, done: cursor === undefined });
          if (cursor === undefined) return;
        }
      } catch (error) {
        if (!stop.signal.aborted)
          setSeen({ of, ...(preview === undefined ? {} : { preview }), done: true, problem: messageOf(error) });
      }
    };
    const timer = window.setTimeout(() => void look(), typingMs);
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [of, objectId, ruleId]);
  return seen;
}

function Words({ preview, isDone }: { preview: Preview; isDone: boolean }) {
  const { total, looked, silenced, last_run_changes: ofRun, silenced_last_run: silencedOfRun, hidden } = preview;
  if (total === 0)
    return <span>{t("No page has changed in the last 30 days, so there is nothing to compare it with.")}</span>;
  const rare = hidden.filter(({ count }) => count <= rareMax);
  const shown = (rare.length > 0 ? rare : hidden).slice(0, shownMax);
  return (
    <>
      <span>
        <b>
          {t("Silences {count} of {pages} of the last run and {silenced} of {changes} of the last 30 days", {
            count: silencedOfRun,
            pages: counted(ofRun, "changed page"),
            silenced,
            changes: counted(looked, "change"),
          })}
        </b>
        {!isDone && ` (${t("{looked} of {total} checked", { looked, total })})`}.
      </span>
      {rare.length > 0 && (
        <span>
          {t(
            "It would have hidden this rare change. Check whether it matters:|It would have hidden these {n} rare changes. Check whether they matter:",
            { n: rare.length },
          )}
        </span>
      )}
      {shown.length > 0 && <Hidden groups={shown} />}
    </>
  );
}

function Hidden({ groups }: { groups: Preview["hidden"] }) {
  return (
    <ul className={classes["hidden"]} aria-label={t("What it would hide")}>
      {groups.map(({ fingerprint, count, removed, added, sample }) => (
        <li key={fingerprint}>
          {removed !== "" && <span className={`${classes["code"]} ${classes["gone"]}`}>{removed}</span>}
          {added !== "" && <span className={`${classes["code"]} ${classes["came"]}`}>{added}</span>}
          <Link className="link" target="_blank" to={`/diff?a=${sample.compared_with}&b=${sample.snapshot_id}`}>
            {t("{pages}, as {url}", { pages: counted(count, "page"), url: sample.instance.url })}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function joined(one: Preview, next: Preview): Preview {
  const groups = new Map(one.hidden.map((group) => [group.fingerprint, group]));
  for (const group of next.hidden) {
    const known = groups.get(group.fingerprint);
    groups.set(group.fingerprint, known === undefined ? group : { ...known, count: known.count + group.count });
  }
  return {
    ...next,
    looked: one.looked + next.looked,
    silenced: one.silenced + next.silenced,
    looked_last_run: one.looked_last_run + next.looked_last_run,
    silenced_last_run: one.silenced_last_run + next.silenced_last_run,
    hidden: [...groups.values()].toSorted((a, b) => a.count - b.count),
  };
}
