import { Button, Loader, Progress, SegmentedControl, Select, Slider, Switch } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { VisualPictures, VisualText } from "@web-tester/contracts/entities/compare";
import { IconLayoutColumns, IconLayoutRows, IconSelector, IconSquareHalf } from "@tabler/icons-react";
import { useState } from "react";
import { counted } from "../../../ui/format/words.js";
import { useStuckHeight } from "../../../ui/layout/use-stuck-height.js";
import { ChangeCounts, ToneWord } from "../../../ui/status/status.js";
import { Stepper } from "../diff-toolbar.js";
import { FoldedOptions } from "../folded-options.js";
import { formatNumber } from "../../../texts/number.js";
import { t } from "../../../texts/text.js";
import { comparedBy, shownLayout, type VisualAddress, type VisualChoice, zoom, zooms } from "./visual-address.js";
import { differingShare } from "./score.js";
import toolbarClasses from "../toolbar.module.css";
import classes from "./visual.module.css";

interface Props {
  address: VisualAddress;
  compared: Extract<VisualPictures, { state: "compared" }> | undefined;
  isComparing: boolean;
  text: VisualText | undefined;
  current: number;
  onChoose: (choice: Partial<VisualChoice>) => void;
  onStep: (by: 1 | -1) => void;
  onIgnore: ((region: number) => void) | undefined;
}

const layouts = [
  { value: "stack", label: "Stack", icon: IconLayoutRows },
  { value: "side", label: "Side", icon: IconLayoutColumns },
  { value: "slider", label: "Slider", icon: IconSquareHalf },
] as const;

/** The toolbar: how the pages are shown, and at the right what differs. */
export function VisualToolbar({ address, compared, isComparing, text, current, onChoose, onStep, onIgnore }: Props) {
  const byText = address.by === "text";
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const stuckRef = useStuckHeight();
  const options = <Options address={address} onChoose={onChoose} />;
  return (
    <div ref={stuckRef} className={`${toolbarClasses["toolbar"]} ${classes["toolbar"]}`}>
      <LayoutChoice layout={address.layout} onChoose={onChoose} />
      <SegmentedControl
        aria-label={t("Compare by")}
        value={address.by}
        onChange={(value) => onChoose({ by: comparedBy.parse(value) })}
        data={[
          { value: "pixels", label: t("Pixels") },
          { value: "text", label: t("Text") },
        ]}
      />
      <FoldedOptions isNarrow={isPhone}>{options}</FoldedOptions>
      <div className={classes["result"]} aria-live="polite">
        {byText ? text !== undefined && <TextResult text={text} /> : null}
        {!byText && (
          <PixelResult
            compared={compared}
            isComparing={isComparing}
            current={current}
            onStep={onStep}
            onIgnore={onIgnore}
          />
        )}
      </div>
    </div>
  );
}

/** Options that seldom change; on a phone they are behind one button. */
function Options({ address, onChoose }: Pick<Props, "address" | "onChoose">) {
  return (
    <>
      <Switch
        size="xs"
        label={t("Mark changes")}
        checked={address.marks}
        onChange={(event) => onChoose({ marks: event.currentTarget.checked })}
      />
      {address.by !== "text" && <Threshold key={address.threshold} value={address.threshold} onChoose={onChoose} />}
      <Select
        aria-label={t("Zoom")}
        className={classes["zoom"]}
        allowDeselect={false}
        withCheckIcon={false}
        value={address.zoom}
        onChange={(value) => value !== null && onChoose({ zoom: zoom.parse(value) })}
        data={zooms.map((value) => ({ value, label: value === "fit" ? t("Fit") : `${value} %` }))}
        rightSection={<IconSelector size={16} aria-hidden />}
      />
    </>
  );
}

function LayoutChoice({ layout, onChoose }: { layout: VisualAddress["layout"]; onChoose: Props["onChoose"] }) {
  return (
    <SegmentedControl
      aria-label={t("Layout")}
      value={layout}
      onChange={(value) => onChoose({ layout: shownLayout.parse(value) })}
      data={layouts.map(({ value, label, icon: Glyph }) => ({
        value,
        label: (
          <span className={classes["choice"]}>
            <Glyph size={15} stroke={1.75} aria-hidden />
            <span>{t(label)}</span>
          </span>
        ),
      }))}
    />
  );
}

/** The share of pixels that differ, and a stepper from region to region. */
function PixelResult({
  compared,
  isComparing,
  current,
  onStep,
  onIgnore,
}: Pick<Props, "compared" | "isComparing" | "current" | "onStep" | "onIgnore">) {
  if (compared === undefined)
    return isComparing ? (
      <span className={classes["busy"]}>
        <Loader size={14} aria-hidden /> {t("Comparing pictures…")}
      </span>
    ) : null;
  return (
    <>
      <Score compared={compared} />
      <span className={`${toolbarClasses["rule"]} ${classes["rule"]}`} />
      <span className="dense text-2">{counted(compared.regionsTotal, "region")}</span>
      <span className={classes["step"]}>
        <Stepper current={current} total={compared.regions.length} of="region" onStep={onStep} />
      </span>
      {compared.regions.length > 0 && onIgnore !== undefined && (
        <Button size="xs" variant="default" title="i" onClick={() => onIgnore(current)}>
          {t("Ignore region…")}
        </Button>
      )}
    </>
  );
}

function Threshold({ value, onChoose }: { value: number; onChoose: Props["onChoose"] }) {
  const [draft, setDraft] = useState(value);
  return (
    <span className={classes["threshold"]} title={t("How far two colours may be apart and still count as the same")}>
      <span aria-hidden>{t("Threshold")}</span>
      <Slider
        w={96}
        size="sm"
        label={null}
        thumbLabel={t("Threshold")}
        min={0}
        max={0.5}
        step={0.05}
        value={draft}
        onChange={setDraft}
        onChangeEnd={(threshold) => onChoose({ threshold: Math.round(threshold * 100) / 100 })}
      />
      <span className="mono text-2">{formatNumber(draft, 2)}</span>
    </span>
  );
}

function Score({ compared }: { compared: Extract<VisualPictures, { state: "compared" }> }) {
  if (compared.differing === 0)
    return (
      <ToneWord tone="quiet" status="unchanged">
        {compared.unequal === 0
          ? t("No pixels differ")
          : t("{pixels} below the threshold", { pixels: counted(compared.unequal, "pixel") })}
      </ToneWord>
    );
  const share = compared.differing / compared.pixels;
  return (
    <span
      className={classes["score"]}
      title={t("{differing} of {pixels} pixels", { differing: compared.differing, pixels: compared.pixels })}
    >
      <ToneWord tone="changed" status="changed">
        {t("{share} of pixels differ", { share: differingShare(compared) })}
      </ToneWord>
      <Progress value={Math.max(1, share * 100)} size={6} w={64} color="var(--wt-changed-solid)" aria-hidden />
    </span>
  );
}

function TextResult({ text }: { text: VisualText }) {
  if (text.added + text.removed === 0)
    return (
      <ToneWord tone="quiet" status="unchanged">
        {t("The text is the same")}
      </ToneWord>
    );
  return (
    <span className={classes["score"]}>
      <ToneWord tone="changed" status="changed">
        {t("{n} word differs|{n} words differ", { n: text.added + text.removed })}
      </ToneWord>
      <ChangeCounts added={text.added} removed={text.removed} noun={t("words")} />
    </span>
  );
}
