import { ActionIcon, Button, Menu } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { RunReview } from "@web-tester/contracts/entities/review";
import { IconDots, IconGitCompare, IconPrinter, IconShare, IconTag } from "@tabler/icons-react";
import { Link } from "react-router";
import { Needs } from "../../ui/access/needs.js";
import { isShared } from "../../ui/access/shared.js";
import { bulkHelp } from "../../ui/format/ways-to-look.js";
import { ButtonMenu } from "../../ui/menu/button-menu.js";
import { PrintButton } from "../../ui/layout/print-button.js";
import { t } from "../../texts/text.js";
import classes from "./review.module.css";

interface Acts {
  review: RunReview;
  /** Whether all of the review is being rendered for printing. */
  whole: boolean;
  onPrint: () => void;
  onLabel: () => void;
  /** Undefined where nothing can be shared. */
  onShare: (() => void) | undefined;
  /** Undefined where there is no verdict to undo. */
  onUndo: (() => void) | undefined;
  /** Whether everything is being accepted. */
  isAcceptingAll: boolean;
  onAcceptAll: () => void;
}

/** The actions on a review as a whole: side by side, and on a phone in two rows with the rarer ones in a menu. */
export function ReviewActions(acts: Acts) {
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const { review, onUndo, isAcceptingAll, onAcceptAll } = acts;
  return (
    <div className={classes["headActs"]}>
      {isPhone ? <MoreActs {...acts} /> : <BesideActs {...acts} />}
      {onUndo !== undefined && (
        <Button variant="default" onClick={onUndo} title="z">
          {t("Undo")}
        </Button>
      )}
      {!isShared && (
        <Button component={Link} variant="default" to={compareAddress(review)}>
          {t("Compare with…")}
        </Button>
      )}
      {!isPhone && hasBulk(review) && (
        <Button component={Link} variant="default" to={bulkAddress(review)} title={t(bulkHelp)}>
          {t("Bulk Diff")}
        </Button>
      )}
      {review.waiting > 0 && (
        <Needs call="giveVerdict">
          <Button loading={isAcceptingAll} onClick={onAcceptAll}>
            {t("Accept all")}
          </Button>
        </Needs>
      )}
    </div>
  );
}

function BesideActs({ review, whole, onPrint, onLabel, onShare }: Acts) {
  return (
    <>
      <PrintButton whole={whole} onPrint={onPrint} />
      {review.compared === null && (
        <Needs call="updateRun">
          <Button variant="default" onClick={onLabel}>
            {labelWords(review)}
          </Button>
        </Needs>
      )}
      {onShare !== undefined && (
        <Needs call="createShare">
          <Button variant="default" leftSection={<IconShare size={15} aria-hidden />} onClick={onShare}>
            {t("Share…")}
          </Button>
        </Needs>
      )}
    </>
  );
}

const icon = (Glyph: typeof IconDots) => <Glyph size={15} aria-hidden />;

function MoreActs({ review, whole, onPrint, onLabel, onShare }: Acts) {
  return (
    <ButtonMenu
      position="bottom-start"
      width={240}
      button={
        <ActionIcon variant="default" aria-label={t("More")} loading={whole} className={classes["dots"]}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
    >
      <Menu.Item leftSection={icon(IconPrinter)} onClick={onPrint}>
        {t("Print")}
      </Menu.Item>
      {review.compared === null && (
        <Needs call="updateRun">
          <Menu.Item leftSection={icon(IconTag)} onClick={onLabel}>
            {labelWords(review)}
          </Menu.Item>
        </Needs>
      )}
      {onShare !== undefined && (
        <Needs call="createShare">
          <Menu.Item leftSection={icon(IconShare)} onClick={onShare}>
            {t("Share…")}
          </Menu.Item>
        </Needs>
      )}
      <BulkItem review={review} />
    </ButtonMenu>
  );
}

function BulkItem({ review }: Pick<Acts, "review">) {
  return (
    hasBulk(review) && (
      <Menu.Item
        component={Link}
        to={bulkAddress(review)}
        leftSection={icon(IconGitCompare)}
        aria-description={t(bulkHelp)}
      >
        {t("Bulk Diff")}
      </Menu.Item>
    )
  );
}

const labelWords = ({ run }: RunReview) => (run.label === null ? t("Label…") : t("Change label…"));

const hasBulk = ({ compared }: RunReview) => compared === null && !isShared;

const bulkAddress = ({ testobject }: RunReview) => `/diff/bulk?bulk=${testobject.id}&idx1=1&idx2=0`;

/** The address of the screen that compares the same pages with something else. */
function compareAddress({ run, testobject, compared }: RunReview): string {
  const to = compared === null ? run.id : compared.to.type === "run" ? compared.to.run_id : null;
  return `/objects/${testobject.id}/compare${to === null ? "" : `?to=${to}`}`;
}
