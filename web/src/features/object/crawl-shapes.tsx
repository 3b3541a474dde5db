import { Button, Textarea } from "@mantine/core";
import type { Response } from "@web-tester/contracts/api";
import type { CrawlShape } from "@web-tester/contracts/entities/run";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { keys } from "../../api/keys.js";
import { crawlShapesQuery } from "../../api/crawl-queries.js";
import { Needs } from "../../ui/access/needs.js";
import { formatCount, pathOf } from "../../ui/format/words.js";
import { toast } from "../../ui/toasts/toasts.js";
import { rich, t } from "../../texts/text.js";
import { ExcludeMisses } from "./exclude-misses.js";
import { patternsOf } from "./options.js";
import classes from "./crawl-shapes.module.css";

/** Shows which similar addresses a running crawl meets again and again, and offers to exclude them from this crawl. */
export default function CrawlShapes({ runId, object }: { runId: string; object: TestObject }) {
  const query = useQuery(crawlShapesQuery(runId));
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const shape = query.data?.items.find(({ pattern }) => !dismissed.includes(pattern));
  if (query.data === undefined || shape === undefined) return null;
  return (
    <Trap
      key={shape.pattern}
      shape={shape}
      total={query.data.total}
      runId={runId}
      object={object}
      onDone={() => setDismissed([...dismissed, shape.pattern])}
    />
  );
}

interface TrapProps {
  shape: CrawlShape;
  total: number;
  runId: string;
  object: TestObject;
  onDone: () => void;
}

function Trap({ shape, total, runId, object, onDone }: TrapProps) {
  const [patterns, setPatterns] = useState<string>();
  const { preview, apply } = useExcluding(runId, object.id, onDone);
  const open = () => {
    setPatterns(shape.pattern);
    preview.mutate(shape.pattern);
  };
  return (
    <section className={classes["trap"]} aria-label={t("What this crawl keeps finding")}>
      <Sentence shape={shape} total={total} object={object} />
      {patterns === undefined ? (
        <p className={classes["acts"]}>
          <Button size="xs" variant="default" onClick={open}>
            {t("Leave them out…")}
          </Button>
          <Button size="xs" variant="subtle" onClick={onDone}>
            {t("They are wanted")}
          </Button>
        </p>
      ) : (
        <Patterns patterns={patterns} onPatterns={setPatterns} preview={preview} apply={apply} />
      )}
    </section>
  );
}

/** Previews patterns on the running crawl, and excludes what they match. */
function useExcluding(runId: string, objectId: string, onDone: () => void) {
  const client = useQueryClient();
  const preview = useMutation({
    mutationFn: (text: string) =>
      call("previewCrawlExcludes", { params: { id: runId }, body: { exclude_list: patternsOf(text) } }),
  });
  const apply = useMutation({
    mutationFn: (text: string) =>
      call("excludeInCrawl", { params: { id: runId }, body: { exclude_list: patternsOf(text) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.testObject(objectId) });
      toast("success", t("Left out of this crawl from now on, and added to the exclude patterns"));
      onDone();
    },
    onError: (error) => toast("error", messageOf(error)),
  });
  return { preview, apply };
}

function Sentence({ shape, total, object }: Pick<TrapProps, "shape" | "total" | "object">) {
  return (
    <p>
      {rich("{count} of {total} addresses differ only in {where}.", {
        count: <b>{formatCount(shape.count)}</b>,
        total: formatCount(total),
        where: <code>{shape.differs_in}</code>,
      })}{" "}
      <span className="text-2">
        {rich("For example {sample}.", {
          sample: <code>{pathOf(shape.samples[0] ?? "", object.url)}</code>,
        })}
      </span>
    </p>
  );
}

interface PatternsProps extends ReturnType<typeof useExcluding> {
  patterns: string;
  onPatterns: (patterns: string | undefined) => void;
}

/** Edits the patterns, and shows what they would exclude. */
function Patterns({ patterns, onPatterns, preview, apply }: PatternsProps) {
  const previewed = preview.variables === patterns ? preview.data : undefined;
  return (
    <>
      <Textarea
        label={t("Exclude URL patterns")}
        description={t("One per line, matched against the path. * matches anything.")}
        data-mono
        rows={2}
        spellCheck={false}
        value={patterns}
        onChange={(event) => onPatterns(event.currentTarget.value)}
      />
      <Outcome
        error={preview.error}
        previewed={previewed}
        onInstead={(from, to) => onPatterns(patterns.replace(from, to))}
      />
      <p className={classes["acts"]}>
        <Button
          size="xs"
          variant="default"
          loading={preview.isPending}
          disabled={patternsOf(patterns).length === 0}
          onClick={() => preview.mutate(patterns)}
        >
          {t("Preview these patterns")}
        </Button>
        <ApplyButton
          loading={apply.isPending}
          disabled={previewed === undefined || previewed.excluded === 0}
          onApply={() => apply.mutate(patterns)}
        />
        <Button size="xs" variant="subtle" onClick={() => onPatterns(undefined)}>
          {t("Cancel")}
        </Button>
      </p>
    </>
  );
}

interface OutcomeProps {
  error: Error | null;
  previewed: Response<"previewCrawlExcludes"> | undefined;
  onInstead: (pattern: string, instead: string) => void;
}

/** Says how many addresses the patterns match, and which patterns match none. */
function Outcome({ error, previewed, onInstead }: OutcomeProps) {
  return (
    <>
      <p aria-live="polite" className="dense">
        {error !== null && messageOf(error)}
        {previewed !== undefined &&
          t("{excluded} of {total} addresses match, {waiting} of them still wait for their visit.", previewed)}
      </p>
      {previewed !== undefined && <ExcludeMisses misses={previewed.misses} onInstead={onInstead} />}
    </>
  );
}

function ApplyButton({ loading, disabled, onApply }: { loading: boolean; disabled: boolean; onApply: () => void }) {
  return (
    <Needs call="excludeInCrawl">
      <Button size="xs" loading={loading} disabled={disabled} onClick={onApply}>
        {t("Leave out of this crawl")}
      </Button>
    </Needs>
  );
}
