import { Button } from "@mantine/core";
import type { ExcludeMiss } from "@web-tester/contracts/entities/run";
import { counted } from "../../ui/format/words.js";
import { type Label, rich, t } from "../../texts/text.js";
import classes from "./rail.module.css";

const reasons: Readonly<Record<ExcludeMiss["why"], Label>> = {
  end: "it must match up to the end of the path",
  beginning: "it must match from the start of the path",
  middle: "it must match the whole path",
  query: "it is matched against the path; a ? includes the query",
  case: "upper and lower case must match",
  nothing: "no known address matches; it is matched against the path, and a ? includes the query",
};

/**
 * Says why patterns exclude nothing, and how they could be written.
 * @param onInstead replaces a pattern by the suggested one
 */
export function ExcludeMisses({
  misses,
  onInstead,
}: {
  misses: readonly ExcludeMiss[];
  onInstead: ((pattern: string, instead: string) => void) | undefined;
}) {
  if (misses.length === 0) return null;
  return (
    <ul className={classes["misses"]}>
      {misses.map(({ pattern, why, instead, count }) => (
        <li key={pattern}>
          {rich("{pattern} excludes nothing: {why}.", { pattern: <code>{pattern}</code>, why: t(reasons[why]) })}
          {instead !== null && (
            <>
              {" "}
              {rich("{instead} would exclude {instances}.", {
                instead: <code>{instead}</code>,
                instances: counted(count, "address", "addresses"),
              })}{" "}
              {onInstead !== undefined && (
                <Button variant="default" size="compact-xs" onClick={() => onInstead(pattern, instead)}>
                  {t("Use it")}
                </Button>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
