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
import { compareInWorker } from "./compare-in-worker.js";
import classes from "./anything.module.css";

/** What was compared; `number` tells one Compare from the next without looking at megabytes of text. */
interface Asked {
  readonly number: number;
  readonly a: string;
  readonly b: string;
}

/** Two pasted contents and what differs. Nothing leaves the browser. */
export function AnythingPage() {
  usePageMeta(t("Diff Anything"), t("Paste two contents and see what differs."), "/diff-anything");
  const [search, changeAddress] = useAddressParams();
  const address = readAddress(search);
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const [a, setA] = useState("");
  const [b, setB] = useState("");
  const [asked, setAsked] = useState<Asked>();
  const number = useRef(0);
  // pasted text need not be a page: nothing is made of it unasked
  const as = address.as === "auto" ? "source" : address.as;
  const query = useQuery({
    queryKey: ["contents", asked?.number, as, address.by, address.context],
    queryFn: ({ signal }) =>
      compareInWorker({ a: asked?.a ?? "", b: asked?.b ?? "", as, by: address.by, context: address.context }, signal),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const isEmpty = a === "" && b === "";
  const compare = () => {
    number.current += 1;
    setAsked({ number: number.current, a, b });
  };
  const choose = (choice: DiffChoice) =>
    changeAddress((now) => writeAddress(now, choice), { replace: true, preventScrollReset: true });

  return (
    <>
      <div className={classes["inputs"]}>
        <PageHead
          title={t("Diff Anything")}
          below={<p className="text-2">{t("Paste two contents to see what differs. They stay in your browser.")}</p>}
        />
        <form
          onSubmit={(event) => {
            event.preventDefault();
            compare();
          }}
        >
          <div className={classes["pair"]}>
            <ContentField side="A" value={a} onChange={setA} autoFocus />
            <ContentField side="B" value={b} onChange={setB} />
          </div>
          <div className={classes["actions"]}>
            <Button type="submit" leftSection={<IconGitCompare size={15} aria-hidden />} disabled={isEmpty}>
              {t("Compare")}
            </Button>
            <Button
              variant="default"
              leftSection={<IconEraser size={15} aria-hidden />}
              disabled={isEmpty && asked === undefined}
              onClick={() => {
                setA("");
                setB("");
                setAsked(undefined);
              }}
            >
              {t("Clear")}
            </Button>
          </div>
        </form>
      </div>
      {asked !== undefined && (asked.a !== a || asked.b !== b) && (
        <p className={classes["stale"]} role="status">
          {t("The contents were changed since they were compared.")}{" "}
          <button type="button" className="link" onClick={compare}>
            {t("Compare again")}
          </button>
        </p>
      )}
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
