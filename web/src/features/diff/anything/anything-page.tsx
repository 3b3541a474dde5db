import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconEraser, IconGitCompare } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { contentForm } from "@web-tester/contracts/entities/vocabulary";
import { useAddressParams } from "../../../ui/address-params.js";
import { PageHead } from "../../../ui/layout/page.js";
import { usePageMeta } from "../../../ui/page-meta.js";
import { type DiffChoice, readAddress, writeAddress } from "../address.js";
import { t } from "../../../texts/text.js";
import { ContentField } from "./content-field.js";
import { ContentDiff } from "./content-diff.js";
import type { Contents } from "./compare-contents.js";
import { compareInWorker } from "./compare-in-worker.js";
import classes from "./anything.module.css";

/** The contents to compare; `number` distinguishes one press of Compare from the next without comparing megabytes of text. */
interface Asked {
  readonly number: number;
  readonly a: string;
  readonly b: string;
}

/** The page that compares two pasted contents. Nothing is sent anywhere. */
export function AnythingPage() {
  usePageMeta(t("Diff Anything"), t("Paste two contents and see what differs."), "/diff-anything");
  const [search, changeAddress] = useAddressParams();
  const address = readAddress(search);
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const { asked, ...fields } = useContents();
  // pasted text may be anything, so that it is not formatted unasked
  const as = address.as === "auto" ? "source" : address.as;
  const query = useComparison(asked, { as, by: address.by, context: address.context });
  const choose = (choice: DiffChoice) =>
    changeAddress((now) => writeAddress(now, choice), { replace: true, preventScrollReset: true });

  return (
    <>
      <div className={classes["inputs"]}>
        <PageHead
          title={t("Diff Anything")}
          below={<p className="text-2">{t("Paste two contents to see what differs. They stay in your browser.")}</p>}
        />
        <ContentForm {...fields} />
      </div>
      {asked !== undefined && (asked.a !== fields.a || asked.b !== fields.b) && <Stale onCompare={fields.onCompare} />}
      {asked !== undefined && (
        <ContentDiff
          key={asked.number}
          query={query}
          address={{ ...address, as, forms: contentForm.options, view: isPhone ? "unified" : address.view }}
          isPhone={isPhone}
          onChoose={choose}
        />
      )}
    </>
  );
}

/** The two contents as typed, and those that are being compared. */
function useContents(): FormProps & { asked: Asked | undefined } {
  const [a, onA] = useState("");
  const [b, onB] = useState("");
  const [asked, setAsked] = useState<Asked>();
  const number = useRef(0);
  const onCompare = () => {
    number.current += 1;
    setAsked({ number: number.current, a, b });
  };
  const onClear = () => {
    onA("");
    onB("");
    setAsked(undefined);
  };
  return { a, b, onA, onB, asked, onCompare, onClear, canClear: a !== "" || b !== "" || asked !== undefined };
}

interface FormProps {
  a: string;
  b: string;
  onA: (text: string) => void;
  onB: (text: string) => void;
  onCompare: () => void;
  onClear: () => void;
  /** Whether there is anything to clear: contents, or a comparison. */
  canClear: boolean;
}

function ContentForm({ a, b, onA, onB, onCompare, onClear, canClear }: FormProps) {
  const first = useRef<HTMLTextAreaElement>(null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCompare();
      }}
    >
      <div className={classes["pair"]}>
        <ContentField ref={first} side="A" value={a} onChange={onA} autoFocus />
        <ContentField side="B" value={b} onChange={onB} />
      </div>
      <div className={classes["actions"]}>
        <Button type="submit" leftSection={<IconGitCompare size={15} aria-hidden />} disabled={a === "" && b === ""}>
          {t("Compare")}
        </Button>
        <Button
          variant="default"
          leftSection={<IconEraser size={15} aria-hidden />}
          disabled={!canClear}
          onClick={() => {
            onClear();
            // the pressed button becomes disabled and would lose the focus
            first.current?.focus();
          }}
        >
          {t("Clear")}
        </Button>
      </div>
    </form>
  );
}

/** Compares the two contents in the browser, when asked to. */
function useComparison(asked: Asked | undefined, { as, by, context }: Pick<Contents, "as" | "by" | "context">) {
  return useQuery({
    queryKey: ["contents", asked?.number, as, by, context],
    queryFn: ({ signal }) => compareInWorker({ a: asked?.a ?? "", b: asked?.b ?? "", as, by, context }, signal),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

/** Says that the fields have changed since the comparison. */
function Stale({ onCompare }: { onCompare: () => void }) {
  return (
    <p className={classes["stale"]} role="status">
      {t("The contents were changed since they were compared.")}{" "}
      <button type="button" className="link" onClick={onCompare}>
        {t("Compare again")}
      </button>
    </p>
  );
}
