import { ActionIcon, Menu } from "@mantine/core";
import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconEye,
  IconEyeOff,
  IconFileText,
  IconLink,
  IconPhoto,
} from "@tabler/icons-react";
import { messageOf } from "../../api/api-error.js";
import { t } from "../../texts/text.js";
import { ButtonMenu } from "../../ui/menu/button-menu.js";
import { toast } from "../../ui/toasts/toasts.js";

/** The code of exports is loaded on demand. */
const loadExports = () => import("./share/export-diff.js");
type Exports = Awaited<ReturnType<typeof loadExports>>;

const run = (act: (exports: Exports) => Promise<void> | void) => () =>
  void loadExports()
    .then(act)
    .catch((error: unknown) => toast("error", messageOf(error)));

interface Props {
  diff: DiffHunks;
  ignored: "shown" | "hidden";
  onShowIgnored: (ignored: "shown" | "hidden") => void;
  /** Ignores the current change; undefined where there is none. */
  onIgnore: (() => void) | undefined;
  /** Copies the link to the current change; undefined where there is none. */
  onCopyLine: (() => void) | undefined;
}

const icon = (Glyph: typeof IconCopy) => <Glyph size={15} aria-hidden />;

/** A menu of further actions: ignore the current change, copy its link, export the comparison. */
export function DiffMore({ diff, ignored, onShowIgnored, onIgnore, onCopyLine }: Props) {
  return (
    <ButtonMenu
      width={230}
      button={
        <ActionIcon variant="subtle" size="xs" aria-label={t("More")}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      }
    >
      {onIgnore !== undefined && (
        <Menu.Item leftSection={icon(IconEyeOff)} onClick={onIgnore} rightSection="i">
          {t("Ignore this…")}
        </Menu.Item>
      )}
      {diff.rules !== undefined && (
        <Menu.Item leftSection={icon(IconEye)} onClick={() => onShowIgnored(ignored === "shown" ? "hidden" : "shown")}>
          {ignored === "shown" ? t("Hide what is ignored") : t("Show what is ignored")}
        </Menu.Item>
      )}
      {onCopyLine !== undefined && (
        <Menu.Item leftSection={icon(IconLink)} onClick={onCopyLine} rightSection="l">
          {t("Copy link to this change")}
        </Menu.Item>
      )}
      <TakeAway diff={diff} />
    </ButtonMenu>
  );
}

/** Exports the comparison as a patch, a page or a picture. */
function TakeAway({ diff }: { diff: DiffHunks }) {
  return (
    <>
      <Menu.Item leftSection={icon(IconCopy)} onClick={run((exports) => exports.copyPatch(diff))}>
        {t("Copy as patch")}
      </Menu.Item>
      <Menu.Item leftSection={icon(IconDownload)} onClick={run((exports) => exports.downloadPatch(diff))}>
        {t("Download as patch")}
      </Menu.Item>
      <Menu.Item leftSection={icon(IconFileText)} onClick={run((exports) => exports.downloadHtml(diff))}>
        {t("Download as HTML")}
      </Menu.Item>
      <Menu.Item leftSection={icon(IconPhoto)} onClick={run((exports) => exports.downloadPicture(diff))}>
        {t("Download as picture")}
      </Menu.Item>
    </>
  );
}
