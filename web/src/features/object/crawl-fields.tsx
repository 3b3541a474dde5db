import { Button, NumberInput, Select, Switch, Textarea } from "@mantine/core";
import { crawlScope } from "@web-tester/contracts/entities/vocabulary";
import { budgets, limits } from "@web-tester/contracts/limits";
import { useMutation } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { counted, formatCount } from "../../ui/format/words.js";
import { type Options, patternsOf } from "./options.js";
import classes from "./rail.module.css";

const scopes = [
  { value: "path", label: "Below the URL's path" },
  { value: "host", label: "The whole host" },
  { value: "domain", label: "The whole domain" },
  { value: "prefixes", label: "These places only" },
];

/** How far, how politely and how long the site is crawled. */
export function CrawlFields({ options, set }: { options: Options; set: (part: Partial<Options>) => void }) {
  const number = (text: string | number, least: number) => Math.max(least, Math.round(Number(text)) || least);
  return (
    <fieldset className={classes["auth"]}>
      <legend className={classes["legend"]}>Crawl</legend>
      <div className={classes["stack"]}>
        <Switch
          size="xs"
          label="Ignore robots.txt (own site)"
          description="A crawl that is running keeps the rules that it began with."
          checked={options.ignoreRobots}
          onChange={(event) => set({ ignoreRobots: event.currentTarget.checked })}
        />
        <Select
          label="Scope"
          allowDeselect={false}
          data={scopes}
          value={options.scope}
          onChange={(value) => set({ scope: crawlScope.catch("path").parse(value) })}
        />
        {options.scope === "prefixes" && (
          <Textarea
            label="Places"
            description="One per line: a path that begins with /, or a full URL."
            data-mono
            rows={2}
            spellCheck={false}
            value={options.prefixes}
            onChange={(event) => set({ prefixes: event.currentTarget.value })}
          />
        )}
        <Textarea
          label="Parameters to drop"
          description="Tracking parameters, one per line. utm_* stands for all that begin so."
          data-mono
          rows={2}
          spellCheck={false}
          value={options.dropParams}
          onChange={(event) => set({ dropParams: event.currentTarget.value })}
        />
        <NumberInput
          label="Pause between requests (ms)"
          min={0}
          max={limits.requestDelayMaxMs}
          allowDecimal={false}
          value={options.delayMs}
          onChange={(value) => set({ delayMs: number(value, 0) })}
        />
        <div className={classes["budgets"]}>
          <NumberInput
            label="Pages at most"
            min={1}
            max={budgets.crawlPagesMax}
            allowDecimal={false}
            value={options.pagesMax}
            onChange={(value) => set({ pagesMax: number(value, 1) })}
          />
          <NumberInput
            label="Depth at most"
            min={0}
            max={100}
            allowDecimal={false}
            value={options.depthMax}
            onChange={(value) => set({ depthMax: number(value, 0) })}
          />
          <NumberInput
            label="Minutes at most"
            min={1}
            max={10_080}
            allowDecimal={false}
            value={options.minutesMax}
            onChange={(value) => set({ minutesMax: number(value, 1) })}
          />
          <NumberInput
            label="MiB at most"
            min={1}
            max={1_048_576}
            allowDecimal={false}
            value={options.mibMax}
            onChange={(value) => set({ mibMax: number(value, 1) })}
          />
        </div>
      </div>
    </fieldset>
  );
}

/** Says which known instances the typed patterns would leave out, before they are saved. */
export function ExcludePreview({
  objectId,
  patterns,
  changed,
}: {
  objectId: string;
  patterns: string;
  changed: boolean;
}) {
  const preview = useMutation({
    mutationFn: (text: string) =>
      call("previewExcludes", { params: { id: objectId }, body: { exclude_list: patternsOf(text) } }),
  });
  if (patternsOf(patterns).length === 0) return null;
  const { data } = preview;
  const isCurrent = preview.variables === patterns;
  return (
    <div className={classes["preview"]}>
      <Button variant="default" size="xs" loading={preview.isPending} onClick={() => preview.mutate(patterns)}>
        {changed ? "Preview these patterns" : "Show what they exclude"}
      </Button>
      <p aria-live="polite">
        {isCurrent && preview.isError && messageOf(preview.error)}
        {isCurrent &&
          data !== undefined &&
          `${formatCount(data.excluded)} of ${counted(data.total, "instance")} would be excluded.`}
      </p>
      {isCurrent && data !== undefined && data.items.length > 0 && (
        <ul>
          {data.items.slice(0, 10).map((item) => (
            <li key={item.id} className="truncate" title={`${item.url} (${item.pattern})`}>
              <code>{new URL(item.url).pathname}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
