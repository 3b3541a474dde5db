import { Skeleton } from "@mantine/core";
import { useMemo, useRef, useState } from "react";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { splitLines } from "@web-tester/diff/lines/line-range";
import { Empty, InlineError, useSlow } from "../../../ui/feedback/states.js";
import { counted } from "../../../ui/format/words.js";
import { useKeys } from "../../../ui/keys/use-keys.js";
import { SideLetter } from "../../../ui/layout/side-letter.js";
import type { DiffChoice } from "../address.js";
import { DiffSummary, OptionsPanel, Stepper, type ViewChoices } from "../diff-toolbar.js";
import { DiffView, type DiffViewHandle } from "../diff-view.js";
import { buildRows, type Gap, type Opened } from "../row-model.js";
import { linesAtOnce } from "../use-opened.js";
import { useSteps } from "../use-steps.js";
import type { Compared } from "./compare-contents.js";
import diffClasses from "../diff.module.css";
import { t } from "../../../texts/text.js";

interface Props {
  query: {
    data: Compared | undefined;
    isPending: boolean;
    isError: boolean;
    isPlaceholderData: boolean;
    error: Error | null;
    refetch: () => unknown;
  };
  address: ViewChoices;
  isPhone: boolean;
  onChoose: (choice: DiffChoice) => void;
}

const nothing: Opened = new Map();

/** Shows the difference of two pasted contents, with the diff options panel. */
export function ContentDiff({ query, address, isPhone, onChoose }: Props) {
  const diff = query.isError ? undefined : query.data;
  const { model, open } = useRows(diff, address.view);
  const handle = useRef<DiffViewHandle>(null);
  const total = model?.changes.length ?? 0;
  const { current, pick, step } = useSteps(total, handle);
  useContentKeys(step, onChoose);
  return (
    <>
      <OptionsPanel choices={address} isPhone={isPhone} onChoose={onChoose}>
        {diff !== undefined && (
          <>
            <DiffSummary diff={diff} />
            {!isPhone && <Stepper current={current} total={total} onStep={step} />}
          </>
        )}
      </OptionsPanel>
      <div className={diffClasses["body"]} data-stale={query.isPlaceholderData || undefined}>
        <Notices query={query} diff={diff} />
        {diff !== undefined && !diff.identical && model !== undefined && (
          <DiffView
            ref={handle}
            diff={diff}
            model={model}
            titles={titlesOf(diff)}
            view={address.view}
            numbers={address.numbers}
            current={current}
            busyGap={undefined}
            onPick={pick}
            onOpen={open}
          />
        )}
      </div>
    </>
  );
}

function useContentKeys(step: (by: 1 | -1) => void, onChoose: Props["onChoose"]): void {
  useKeys({
    n: () => step(1),
    p: () => step(-1),
    u: () => onChoose({ view: "unified" }),
    s: () => onChoose({ view: "split" }),
  });
}

function titlesOf({ a, b }: Compared) {
  return [<SideTitle key="a" side="A" lines={a.lines} />, <SideTitle key="b" side="B" lines={b.lines} />] as const;
}

/** The rows of a difference; `open` adds unchanged lines. */
function useRows(diff: Compared | undefined, view: ViewChoices["view"]) {
  const { opened, open } = useOpened(diff);
  const model = useMemo(() => (diff === undefined ? undefined : buildRows(diff, view, opened)), [diff, view, opened]);
  return { model, open };
}

/** The unchanged lines that were opened. */
function useOpened(diff: Compared | undefined) {
  const [kept, setKept] = useState<{ as: ContentForm | undefined; opened: Opened }>({ as: undefined, opened: nothing });
  const opened = kept.as === diff?.as ? kept.opened : nothing;
  const open = (gap: Gap) => {
    if (diff === undefined) return;
    const count = Math.min(gap.count, linesAtOnce);
    const from = gap.place === "start" ? gap.bFrom + gap.count - count : gap.bFrom;
    const found = splitLines(diff.bText).slice(from - 1, from - 1 + count);
    const added = found.map((text, index): [number, string] => [from + index, text]);
    setKept({ as: diff.as, opened: new Map([...opened, ...added]) });
  };
  return { opened, open };
}

function Waiting({ isPending }: { isPending: boolean }) {
  const slow = useSlow(isPending);
  if (!isPending) return null;
  return (
    <div className={diffClasses["loading"]} aria-busy="true" data-shown={slow || undefined}>
      <p className="label" role="status">
        {slow ? t("Comparing…") : ""}
      </p>
      <Skeleton height={10} radius={3} width="70%" />
      <Skeleton height={10} radius={3} width="50%" />
    </div>
  );
}

function Coarse() {
  return (
    <div className={diffClasses["message"]}>
      <InlineError
        tone="changed"
        title={t("This comparison is coarser than usual")}
        detail={t(
          "The contents are so large or so different that a limit was hit. What is shown is correct, but smaller differences may exist.",
        )}
      />
    </div>
  );
}

function SideTitle({ side, lines }: { side: "A" | "B"; lines: number }) {
  return (
    <>
      <SideLetter side={side} />
      <b>{t("Content {side}", { side })}</b>
      <span className="mono text-2">{counted(lines, "line")}</span>
    </>
  );
}

/** Says that the comparison is under way, failed, is incomplete, or found nothing. */
function Notices({ query, diff }: { query: Props["query"]; diff: Compared | undefined }) {
  return (
    <>
      <Waiting isPending={query.isPending} />
      {query.isError && (
        <div className={diffClasses["message"]}>
          <InlineError
            title={t("Error loading diff: {message}", { message: query.error?.message ?? "" })}
            onRetry={() => void query.refetch()}
          />
        </div>
      )}
      {diff?.coarse === true && <Coarse />}
      {diff?.identical === true && (
        <Empty title={t("The two contents are identical")}>
          {t("{lines}, the same on both sides.", { lines: counted(diff.b.lines, "line") })}
        </Empty>
      )}
    </>
  );
}
