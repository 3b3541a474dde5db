import { ActionIcon } from "@mantine/core";
import type { TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { isShared } from "../../ui/access/shared.js";
import { CodeView } from "../../ui/code/code-view.js";
import { findInLines } from "../../ui/code/find-in-lines.js";
import { linesOf } from "../../ui/code/line-states.js";
import { CopyButton } from "../../ui/copy-button.js";
import { formatBytes } from "../../ui/format/bytes.js";
import { counted, formatCount } from "../../ui/format/words.js";
import { useKeys } from "../../ui/keys/use-keys.js";
import { Card } from "../../ui/layout/card.js";
import { t } from "../../texts/text.js";
import { traceParams } from "./trace-card.js";
import classes from "./snapshot.module.css";

/** A card with the stored HTML; with a text to find in the address (`q`) it opens at the first match. */
export function HtmlCard({ snapshot }: { snapshot: TestSnapshot }) {
  const { found, lines, at, step } = useMatches(snapshot.html);
  const trace = useTracing();
  return (
    <Card
      title={t("HTML")}
      aside={
        <span className={classes["aside"]}>
          {found !== undefined && <Matches count={found.matches} lines={lines} at={at} onStep={step} />}
          {formatBytes(snapshot.html_bytes)}
          <CopyButton size="xs" label={t("Copy")} text={() => snapshot.html} />
        </span>
      }
      className={classes["card"]}
    >
      <CodeView
        text={snapshot.html}
        label={t("HTML")}
        maxHeight={600}
        found={found?.marks}
        current={lines[at]}
        line={
          isShared
            ? undefined
            : { label: (line) => t("Line {line}: since when?", { line: String(line) }), onPick: trace }
        }
      />
    </Card>
  );
}

/** Finds the text in the address (`q`); n and p go to the next and previous line with a match. */
function useMatches(html: string) {
  const [params] = useSearchParams();
  const phrase = params.get("q") ?? "";
  const found = useMemo(() => (phrase === "" ? undefined : findInLines(linesOf(html), phrase)), [html, phrase]);
  const [at, setAt] = useState(0);
  const lines = found?.lines ?? [];
  const step = (by: 1 | -1) => {
    if (lines.length > 0) setAt((now) => (now + by + lines.length) % lines.length);
  };
  useKeys({ n: () => step(1), p: () => step(-1) });
  return { found, lines, at, step };
}

/** Asks since when a line has been there, by writing it to the address. */
function useTracing() {
  const [, setParams] = useSearchParams();
  return (line: number) =>
    setParams(
      (now) => {
        for (const name of Object.values(traceParams)) now.delete(name);
        now.set(traceParams.line, String(line));
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
}

interface MatchesProps {
  /** How often the text occurs in all lines. */
  count: number;
  lines: readonly number[];
  at: number;
  onStep: (by: 1 | -1) => void;
}

function Matches({ count, lines, at, onStep }: MatchesProps) {
  return (
    <span className={classes["found"]} role="status">
      {lines.length === 0 ? (
        t("The text is not in this HTML")
      ) : (
        <>
          {t("{match}, line {lines}", {
            match: counted(count, "match", "matches"),
            lines: formatCount(lines[at] ?? 0),
          })}
        </>
      )}
      <ActionIcon
        variant="default"
        aria-label={t("Previous line with a match")}
        disabled={lines.length < 2}
        onClick={() => onStep(-1)}
      >
        <IconChevronUp size={15} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={t("Next line with a match")}
        disabled={lines.length < 2}
        onClick={() => onStep(1)}
      >
        <IconChevronDown size={15} aria-hidden />
      </ActionIcon>
    </span>
  );
}
