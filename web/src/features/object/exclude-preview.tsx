import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { counted } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";
import { ExcludeMisses } from "./exclude-misses.js";
import { patternsOf } from "./options.js";
import classes from "./rail.module.css";

interface Props {
  objectId: string;
  patterns: string;
  changed: boolean;
  /** Replaces a pattern that excludes nothing by the suggested one. */
  onInstead: (pattern: string, instead: string) => void;
}

/** Shows which known instances the typed patterns would exclude, before they are saved. */
export function ExcludePreview({ objectId, patterns, changed, onInstead }: Props) {
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
        {changed ? t("Preview these patterns") : t("Show what they exclude")}
      </Button>
      <p aria-live="polite">
        {isCurrent && preview.isError && messageOf(preview.error)}
        {isCurrent &&
          data !== undefined &&
          t("{count} of {instances} would be excluded.", {
            count: data.excluded,
            instances: counted(data.total, "instance"),
          })}
      </p>
      {isCurrent && data !== undefined && <ExcludeMisses misses={data.misses} onInstead={onInstead} />}
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
