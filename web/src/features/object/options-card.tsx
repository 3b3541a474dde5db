import type { TestObject } from "@web-tester/contracts/entities/object";
import { lazy, memo, Suspense, useState } from "react";
import { RowSkeletons } from "../../ui/feedback/states.js";
import { FoldCard } from "../../ui/layout/fold-card.js";
import { t } from "../../texts/text.js";
import { draftOf } from "./drafts.js";
import { optionsSummary } from "./options.js";

/** Loaded on demand, because most people who open an object never open its options. */
const OptionsForm = lazy(() => import("./options-form.js"));

/** A card with the options of how a site is crawled, fetched, kept and compared; collapsed until needed. */
export const OptionsCard = memo(function OptionsCard({ object }: { object: TestObject }) {
  const [isBegun] = useState(() => draftOf(object.id) !== undefined);
  const [wanted, setWanted] = useState(isBegun);
  return (
    <FoldCard
      title={t("Options")}
      startsOpened={isBegun}
      note={(opened) => (opened ? "" : optionsSummary(object))}
      onOpen={() => setWanted(true)}
    >
      {wanted && (
        <Suspense fallback={<RowSkeletons count={4} height={44} />}>
          <OptionsForm object={object} />
        </Suspense>
      )}
    </FoldCard>
  );
});
