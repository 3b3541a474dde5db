import { Skeleton } from "@mantine/core";
import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { messageOf } from "../../../api/api-error.js";
import { diffQuery } from "../../../api/queries.js";
import { InlineError } from "../../../ui/feedback/states.js";
import { useTurn } from "../../../ui/layout/use-turn.js";
import type { ViewChoices } from "../diff-toolbar.js";
import { DiffView } from "../diff-view.js";
import { copyLink } from "../copy-link.js";
import { lineAddress } from "../linked-line.js";
import { buildRows } from "../row-model.js";
import { useOpened } from "../use-opened.js";
import { t } from "../../../texts/text.js";
import classes from "./bulk.module.css";

interface Props {
  /** The rendered difference. */
  ref: React.Ref<HTMLDivElement>;
  name: string;
  a: NonNullable<BulkDiffEntry["snapshot1"]>;
  b: NonNullable<BulkDiffEntry["snapshot2"]>;
  choices: ViewChoices;
  /** Whether it is rendered without waiting for its turn, for printing. */
  whole: boolean;
  /** The likely height of the difference, which is reserved while it loads. */
  expectedPx: number;
}

/** Shows what differs on one page; it is loaded when it is first rendered. */
export function PageDiff({ ref, name, a, b, choices, whole, expectedPx }: Props) {
  const { query, diff, model, isCalled, busy, open } = usePageDiff(a.id, b.id, choices);
  // indices refer to other snapshots after the next fetch, so that links to lines name these two snapshots
  const { view, context } = choices;
  const link = useMemo(
    () => (diff === undefined ? undefined : lineAddress(diff, new URLSearchParams({ view, context: String(context) }))),
    [diff, view, context],
  );
  if (query.isError) {
    return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (diff === undefined || model === undefined || !(isCalled || whole)) {
    return <Loading heightPx={expectedPx} />;
  }
  return (
    <div ref={ref} data-stale={query.isPlaceholderData || undefined} className={classes["drawn"]}>
      {diff.coarse && (
        <p className={`label ${classes["coarse"]}`}>
          {t("Coarser than usual: these pages are so large or so different that a limit was hit.")}
        </p>
      )}
      <DiffView
        of={name}
        expectedPx={expectedPx}
        diff={diff}
        model={model}
        view={choices.view}
        numbers={choices.numbers}
        current={-1}
        busyGap={busy}
        onOpen={(gap) => void open(gap)}
        link={link}
        onLine={(line) => link !== undefined && void copyLink(link(line), line)}
      />
    </div>
  );
}

/** The rows of the difference of two snapshots, with the opened gaps; `isCalled` once it is its turn to be rendered. */
function usePageDiff(a: string, b: string, choices: ViewChoices) {
  const query = useQuery({
    ...diffQuery({ a, b, diffType: choices.by, context: choices.context, as: choices.as ?? "auto" }),
    placeholderData: keepPreviousData,
  });
  const diff = query.data;
  const isCalled = useTurn(diff !== undefined);
  const { opened, busy, open } = useOpened(b, diff?.as ?? "source");
  const model = useMemo(
    () => (diff === undefined ? undefined : buildRows(diff, choices.view, opened)),
    [diff, choices.view, opened],
  );
  return { query, diff, model, isCalled, busy, open };
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className={classes["message"]}>
      <InlineError title={t("Error loading diff: {error}", { error: messageOf(error) })} onRetry={onRetry} />
    </div>
  );
}

function Loading({ heightPx }: { heightPx: number }) {
  return (
    <div className={classes["loading"]} style={{ height: heightPx }} aria-busy="true">
      {[62, 84, 47].map((width) => (
        <Skeleton key={width} height={10} radius={3} width={`${width}%`} />
      ))}
    </div>
  );
}
