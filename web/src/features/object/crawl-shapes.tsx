import { Button, Textarea } from "@mantine/core";
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

/** What a crawl that is running meets again and again, with the way to leave it out of this crawl. */
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

function Trap({
  shape,
  total,
  runId,
  object,
  onDone,
}: {
  shape: CrawlShape;
  total: number;
  runId: string;
  object: TestObject;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const [patterns, setPatterns] = useState<string>();
  const preview = useMutation({
    mutationFn: (text: string) =>
      call("previewCrawlExcludes", { params: { id: runId }, body: { exclude_list: patternsOf(text) } }),
  });
  const apply = useMutation({
    mutationFn: (text: string) =>
      call("excludeInCrawl", { params: { id: runId }, body: { exclude_list: patternsOf(text) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.testObject(object.id) });
      toast("success", t("Left out of this crawl from now on, and added to the exclude patterns"));
      onDone();
    },
    onError: (error) => toast("error", messageOf(error)),
  });
  const open = () => {
    setPatterns(shape.pattern);
    preview.mutate(shape.pattern);
  };
  const write = (text: string) => setPatterns(text);
  const isPreviewed = patterns !== undefined && preview.variables === patterns && preview.data !== undefined;
  return (
    <section className={classes["trap"]} aria-label={t("What this crawl meets again and again")}>
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
        <>
          <Textarea
            label={t("Exclude URL patterns")}
            description={t("One per line, matched against the path. * stands for anything.")}
            data-mono
            rows={2}
            spellCheck={false}
            value={patterns}
            onChange={(event) => write(event.currentTarget.value)}
          />
          <p aria-live="polite" className="dense">
            {preview.isError && messageOf(preview.error)}
            {isPreviewed &&
              t("{excluded} of {total} addresses match, {waiting} of them still wait for their visit.", preview.data)}
          </p>
          {isPreviewed && (
            <ExcludeMisses misses={preview.data.misses} onInstead={(from, to) => write(patterns.replace(from, to))} />
          )}
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
            <Needs call="excludeInCrawl">
              <Button
                size="xs"
                loading={apply.isPending}
                disabled={!isPreviewed || preview.data.excluded === 0}
                onClick={() => apply.mutate(patterns)}
              >
                {t("Leave out of this crawl")}
              </Button>
            </Needs>
            <Button size="xs" variant="subtle" onClick={() => setPatterns(undefined)}>
              {t("Cancel")}
            </Button>
          </p>
        </>
      )}
    </section>
  );
}
