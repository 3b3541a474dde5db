import type { AuditEntry } from "@web-tester/contracts/entities/access";
import type { EndpointName } from "@web-tester/contracts/api";
import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconKey,
  IconQuestionMark,
  IconUser,
  IconUserQuestion,
} from "@tabler/icons-react";
import { Link } from "react-router";
import { type Label, t } from "../../texts/text.js";
import { formatExactly, formatRelative } from "../../ui/format/dates.js";
import { callWords } from "./call-words.js";
import classes from "./changes.module.css";

const outcomes = {
  done: { icon: IconCheck, word: "done" },
  refused: { icon: IconBan, word: "refused" },
  failed: { icon: IconAlertTriangle, word: "failed" },
  unknown: { icon: IconQuestionMark, word: "result unknown" },
} as const satisfies Record<AuditEntry["outcome"], { icon: typeof IconCheck; word: Label }>;

const people = { person: IconUser, token: IconKey, root: IconKey } as const;

const isCall = (name: string): name is EndpointName => name in callWords;

/** A call in words; its plain name where another version made the entry. */
export function wordsOf(action: string): string {
  const words = isCall(action) ? callWords[action] : undefined;
  return words === undefined ? action : t(words);
}

/** One change: who, what, on what, when, and how it ended. */
export function ChangeRow({ entry, onActor }: { entry: AuditEntry; onActor: (who: string) => void }) {
  const { actor, actor_kind: kind, address, outcome } = entry;
  const Person = kind in people ? people[kind as keyof typeof people] : IconUserQuestion;
  const { icon: Outcome, word } = outcomes[outcome];
  return (
    <li className={classes["row"]} data-outcome={outcome}>
      <span className={classes["when"]}>
        <time dateTime={entry.at}>{formatRelative(entry.at, Date.now())}</time>
        <span className="label">{formatExactly(entry.at)}</span>
      </span>
      <span className={classes["who"]}>
        <Person size={15} aria-hidden />
        <button
          type="button"
          className={`link ${classes["actor"]}`}
          onClick={() => onActor(actor)}
          title={t("Show changes of {actor}", { actor })}
        >
          {actor}
        </button>
        {address !== actor && <span className="label">{address}</span>}
      </span>
      <What entry={entry} />
      <span className={classes["outcome"]}>
        <Outcome size={15} aria-hidden />
        {t(word)}
        {outcome !== "done" && (entry.code !== null || entry.status !== null) && (
          <span className="label">{[entry.status, entry.code].filter((part) => part !== null).join(" ")}</span>
        )}
      </span>
    </li>
  );
}

/** What was done, and to what, which may no longer exist. */
function What({ entry }: { entry: AuditEntry }) {
  const { action, object_name: object, testobject_id: objectId } = entry;
  const isThere = objectId !== null && action !== "deleteTestObject";
  return (
    <span className={classes["what"]}>
      <span>
        <b>{wordsOf(action)}</b>
        {object !== null && ": "}
        {object !== null && isThere && (
          <Link className="link" to={`/objects/${objectId}`}>
            {object}
          </Link>
        )}
        {!isThere && object}
      </span>
      {entry.fields.length > 0 && <span className="label">{entry.fields.join(", ")}</span>}
    </span>
  );
}
