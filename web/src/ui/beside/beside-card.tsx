import type { ChangedFileView } from "@web-tester/contracts/entities/compare";
import type { ChangedFact, ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { Link } from "react-router";
import { assetName } from "../assets/asset-words.js";
import { formatBytes } from "../format/bytes.js";
import { counted } from "../format/words.js";
import { Card } from "../layout/card.js";
import { factNames } from "../status/change-figures.js";
import { t } from "../../texts/text.js";
import classes from "./beside.module.css";

/** A changed file, with its stored copies where they are known. */
type ShownFile = ChangedFile & Partial<ChangedFileView>;

interface Pair {
  a: string;
  b: string;
}

/** Shows how two snapshots differ beside their HTML, and their changed files; nothing where there is neither. */
export function BesideCard<File extends ShownFile>({
  facts,
  files,
  filesTotal = files.length,
  pair,
  users,
}: {
  facts: readonly ChangedFact[];
  files: readonly File[];
  /** How many files changed, where that is more than are listed. */
  filesTotal?: number;
  pair: Pair;
  /** Renders which other pages use a file. */
  users?: (file: File) => React.ReactNode;
}) {
  if (facts.length === 0 && files.length === 0) return null;
  return (
    <Card title={t("Changed outside the HTML")} aside={sumOf(facts, filesTotal)} flush className={classes["card"]}>
      <ul className={classes["rows"]} aria-label={t("Changed outside the HTML")}>
        {facts.map((fact) => (
          <FactRow key={fact.fact} fact={fact} />
        ))}
        {files.map((file) => (
          <FileRow key={`${file.change} ${file.url}`} file={file} pair={pair} users={users?.(file)} />
        ))}
      </ul>
      {filesTotal > files.length && (
        <p className={classes["more"]}>
          {t("The first {files} of {filesTotal}.", { files: counted(files.length, "file"), filesTotal })}
        </p>
      )}
    </Card>
  );
}

/** Summarises the card: "title, 2 files". */
function sumOf(facts: readonly ChangedFact[], files: number): string {
  return [...facts.map(({ fact }) => t(factNames[fact])), ...(files === 0 ? [] : [counted(files, "file")])].join(", ");
}

function FactRow({ fact: { fact, before, after } }: { fact: ChangedFact }) {
  return (
    <li className={classes["row"]}>
      <span className={classes["word"]}>{t(factNames[fact])}</span>
      <span className={classes["values"]}>
        <Value side="removed" text={before} />
        <span aria-hidden> → </span>
        <Value side="added" text={after} />
      </span>
    </li>
  );
}

function Value({ side, text }: { side: "removed" | "added"; text: string | null }) {
  if (text === null) return <span className="text-2">{t("none")}</span>;
  const Mark = side === "removed" ? "del" : "ins";
  return <Mark className={`mono ${classes[side]}`}>{text}</Mark>;
}

const changeWords = {
  changed: "file changed",
  added: "file new",
  removed: "file gone",
  missing: "file missing",
  back: "file back",
} as const;

function FileRow({ file, pair: { a, b }, users }: { file: ShownFile; pair: Pair; users: React.ReactNode }) {
  const { name, place } = assetName(file.url);
  return (
    <li className={classes["row"]}>
      <span className={classes["word"]}>{t(changeWords[file.change])}</span>
      <span className={classes["file"]}>
        <span className="mono" title={file.url}>
          {name} <span className="text-2">{place}</span>
        </span>
        {file.before_url !== null && (
          <span className="label" title={file.before_url}>
            {t("was {name}", { name: assetName(file.before_url).name })}
          </span>
        )}
      </span>
      <span className={`label ${classes["sizes"]}`}>{sizes(file)}</span>
      <span className={classes["links"]}>
        {file.is_text === true && (
          <Link className="link" to={`/diff?a=${a}&b=${b}&file=${encodeURIComponent(file.url)}`}>
            {t("Compare")}
            <span className="sr-only"> {name}</span>
          </Link>
        )}
        <Stored address={file.before_address} words={file.after === null ? t("Open") : t("Before")} name={name} />
        <Stored address={file.after_address} words={file.before === null ? t("Open") : t("After")} name={name} />
      </span>
      {users}
    </li>
  );
}

function sizes({ before_bytes: before, after_bytes: after }: ShownFile): string {
  return [before, after].flatMap((bytes) => (bytes == null ? [] : [formatBytes(bytes)])).join(" → ");
}

function Stored({ address, words, name }: { address: string | null | undefined; words: string; name: string }) {
  if (address == null) return null;
  return (
    <a className="link" href={address} target="_blank" rel="noopener noreferrer">
      {words}
      <span className="sr-only"> {name}</span>
    </a>
  );
}
