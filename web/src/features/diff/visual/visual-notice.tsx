import type { VisualPictures, VisualText } from "@web-tester/contracts/entities/compare";
import { messageOf } from "../../../api/api-error.js";
import { InlineError } from "../../../ui/feedback/states.js";
import { counted } from "../../../ui/format/words.js";
import { t } from "../../../texts/text.js";
import type { ComparedBy } from "./visual-address.js";
import classes from "./visual.module.css";

interface Props {
  by: ComparedBy;
  pictures: VisualPictures | undefined;
  pictureError: Error | null;
  text: VisualText | undefined;
  textError: Error | null;
  onRetry: () => void;
}

/** Says why there is no comparison yet, and what its limits left out. */
export function VisualNotice(props: Props) {
  const notices = noticesOf(props);
  if (notices.length === 0) return null;
  return (
    <div className={classes["notices"]}>
      {notices.map(({ title, detail, failed }) => (
        <InlineError
          key={title}
          tone={failed === true ? "failed" : "changed"}
          title={title}
          detail={detail}
          onRetry={failed === true ? props.onRetry : undefined}
        />
      ))}
    </div>
  );
}

interface Notice {
  title: string;
  detail: string;
  failed?: boolean;
}

function noticesOf({ by, pictures, pictureError, text, textError }: Props): Notice[] {
  if (by === "text") return ofText(text, textError);
  if (pictureError !== null)
    return [
      {
        title: t("The pictures could not be compared"),
        detail: t("{reason} The pages are shown without marks.", { reason: messageOf(pictureError) }),
        failed: true,
      },
    ];
  if (pictures === undefined) return [];
  return pictures.state === "compared" ? ofLimits(pictures) : [ofFailure(pictures)];
}

function ofText(text: VisualText | undefined, textError: Error | null): Notice[] {
  if (textError !== null)
    return [{ title: t("The text could not be compared"), detail: messageOf(textError), failed: true }];
  if (text?.truncated === true || text?.coarse === true)
    return [
      {
        title: t("Not every word is marked as finely as usual"),
        detail: t("The pages are so large or so different that a limit was hit."),
      },
    ];
  return [];
}

function ofFailure({ state, reason }: Exclude<VisualPictures, { state: "compared" }>): Notice {
  if (state === "no-browser")
    return {
      title: t("No browser to draw the pages with"),
      detail: t("{reason} The pages are shown as they are stored, without a comparison of pixels.", {
        reason,
      }),
      failed: true,
    };
  return {
    title: t("The pages could not be drawn"),
    detail: t("{reason} They are shown as they are stored, without marks.", { reason }),
    failed: true,
  };
}

/** The notices about what a comparison of pictures left out. */
function ofLimits(pictures: Extract<VisualPictures, { state: "compared" }>): Notice[] {
  const tallest = Math.max(pictures.a.pageHeight, pictures.b.pageHeight);
  const compared = Math.max(pictures.a.height, pictures.b.height);
  const notices: Notice[] = [];
  if (pictures.differing === 0 && pictures.unequal > 0)
    notices.push({
      title: t("The pages are not identical, but no difference is above the threshold"),
      detail: t(
        "{pixels} of {total} have another colour, too close to see or at the edge of a letter. A lower threshold shows them.",
        { pixels: counted(pictures.unequal, "pixel"), total: pictures.pixels },
      ),
    });
  if (tallest > compared)
    notices.push({
      title: t("Too tall: only the first {compared} pixels are compared", { compared }),
      detail: t("The page is {tallest} pixels tall. Compare by text to see the rest.", { tallest }),
    });
  if (pictures.regionsTotal > pictures.regions.length)
    notices.push({
      title: t("Only the first {regions} regions are outlined", { regions: pictures.regions.length }),
      detail: t("{regions} differ; all of them are tinted.", { regions: pictures.regionsTotal }),
    });
  return notices;
}
