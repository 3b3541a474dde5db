import { Modal, Radio, Skeleton } from "@mantine/core";
import type { Response } from "@web-tester/contracts/api";
import type { PictureRegion } from "@web-tester/contracts/entities/compare";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import type { RuleInput } from "@web-tester/contracts/entities/rule";
import { hidesAnyWords } from "@web-tester/contracts/rule-width";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "../../api/api-error.js";
import { suggestionsQuery } from "../../api/review-queries.js";
import { InlineError } from "../../ui/feedback/states.js";
import { t } from "../../texts/text.js";
import { emptyRule, RuleForm, specOf } from "./rule-form.js";
import { useRules } from "./use-rules.js";
import formClasses from "../../ui/layout/form.module.css";
import classes from "./rules.module.css";

/** A changed line of a comparison, or a region of its pictures, that a person wants to ignore. */
export type IgnoredPlace = {
  readonly objectId: string;
  readonly a: string;
  readonly b: string;
} & (
  | { readonly as: ContentForm; readonly side: "a" | "b"; readonly line: number }
  | { readonly region: PictureRegion }
);

/** A dialog that offers the narrowest rules that ignore a changed place, each with what it would hide. */
export function IgnoreDialog({ place, onClose }: { place: IgnoredPlace; onClose: () => void }) {
  const { objectId, ...body } = place;
  const suggested = useQuery(suggestionsQuery(objectId, body));
  const rules = useRules(objectId);
  const [chosen, setChosen] = useState("0");
  const items = suggested.data?.items ?? [];
  const choice = chosen === "own" ? undefined : items[Number(chosen)];
  const initial: RuleInput = choice === undefined ? emptyRule : { ...emptyRule, ...specOf(choice) };
  return (
    <Modal opened onClose={onClose} title={t("Ignore this change")} size="lg">
      {suggested.isPending && <Skeleton height={120} radius={6} />}
      {suggested.isError && (
        <InlineError title={t("No rules could be suggested")} detail={messageOf(suggested.error)} />
      )}
      {!suggested.isPending && (
        <div className={formClasses["fields"]}>
          <Choices items={items} chosen={items.length === 0 ? "own" : chosen} onChoose={setChosen} />
          <RuleForm
            key={choice === undefined ? "own" : chosen}
            objectId={objectId}
            initial={initial}
            onSave={async (rule) => {
              await rules.create(rule);
              onClose();
            }}
            onCancel={onClose}
          />
        </div>
      )}
    </Modal>
  );
}

type Suggestion = Response<"suggestRules">["items"][number];

/** Says how much else a suggestion would hide. */
function widthWords(item: Suggestion, isFirst: boolean): string | undefined {
  if (item.share > 0.05)
    return t("Covers {percent} % of the page's text: more than this change", {
      percent: Math.round(item.share * 100),
    });
  if (isFirst) return t("The narrowest one");
  return hidesAnyWords(item) ? t("Hides anything there, even edits") : undefined;
}

interface ChoicesProps {
  items: readonly Suggestion[];
  chosen: string;
  onChoose: (chosen: string) => void;
}

function Choices({ items, chosen, onChoose }: ChoicesProps) {
  return (
    <Radio.Group label={t("What to ignore")} value={chosen} onChange={onChoose}>
      <div className={classes["choices"]}>
        {items.map((item, index) => (
          <Radio
            key={item.title}
            className={classes["choice"]}
            value={String(index)}
            label={item.title}
            description={widthWords(item, index === 0)}
          />
        ))}
        {items.length === 0 && (
          <p className="text-2">
            {t(
              "Nothing that counts changed here in the page's source: it may look different because of a style sheet or another file.",
            )}
          </p>
        )}
        <Radio value="own" label={t("Something else…")} />
      </div>
    </Radio.Group>
  );
}
