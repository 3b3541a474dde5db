import type { RunDay } from "@web-tester/contracts/entities/run";
import { Link } from "react-router";
import { counted } from "../format/words.js";
import { t } from "../../texts/text.js";
import { lastDays, toneOf } from "./day-strip.js";
import classes from "./days.module.css";

const shown = 90;

/** Shows the last days as a strip: when something was done, and what was found. Each day links to the review of its last fetch. */
export function Days({ items }: { items: readonly RunDay[] }) {
  // a single day says nothing beyond the rows below
  if (items.length < 2) return null;
  const known = new Map(items.map((item) => [item.day, item]));
  return (
    <section className={classes["strip"]} aria-label={t("The last {shown} days", { shown })}>
      <ol>
        {lastDays(shown, new Date()).map((day) => (
          <Day key={day} day={day} found={known.get(day)} />
        ))}
      </ol>
      <p className="label">{t("Each square a day, today last; days with changed or failed pages in colour.")}</p>
    </section>
  );
}

function Day({ day, found }: { day: string; found: RunDay | undefined }) {
  const words = wordsOf(day, found);
  const runId = found?.run_id ?? null;
  return (
    <li title={words} data-tone={toneOf(found)}>
      {runId !== null && <Link to={`/runs/${runId}/review`} aria-label={words} />}
    </li>
  );
}

function wordsOf(day: string, found: RunDay | undefined): string {
  const [year = "", month = "", date = ""] = day.split("-");
  const at = `${date}.${month}.${year}`;
  if (found === undefined) return t("{at}: nothing was done", { at });
  const parts = [
    found.fetches > 0 ? counted(found.fetches, "fetch", "fetches") : "",
    found.crawls > 0 ? counted(found.crawls, "crawl") : "",
    found.changed > 0 ? t("{pages} changed", { pages: counted(found.changed, "page") }) : "",
    found.failed > 0 ? t("{pages} failed", { pages: counted(found.failed, "page") }) : "",
  ];
  return `${at}: ${parts.filter((part) => part !== "").join(", ")}`;
}
