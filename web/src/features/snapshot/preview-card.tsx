import { Button } from "@mantine/core";
import type { TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import { limits } from "@web-tester/contracts/limits";
import { IconExternalLink } from "@tabler/icons-react";
import { Link } from "react-router";
import { isShared } from "../../ui/access/shared.js";
import { Card } from "../../ui/layout/card.js";
import { WindowFrame } from "../../ui/frame/window-frame.js";
import { rich, t } from "../../texts/text.js";
import classes from "./snapshot.module.css";

/** A card that shows what the page looked like, in a sandboxed frame. */
export function PreviewCard({ snapshot }: { snapshot: TestSnapshot }) {
  const { testobject: object } = snapshot;
  if (!object.asset_snapshots) return <Disabled object={object} />;
  if (snapshot.render === null) return null;
  const hasAssets = snapshot.assets_total > snapshot.assets_missing;
  return (
    <Card
      title={t("Preview")}
      className={classes["card"]}
      aside={<OpenInNewTab id={snapshot.id} hasAssets={hasAssets} />}
    >
      {!hasAssets && (
        <p className={classes["sentence"]}>
          {t("No assets are stored with this snapshot: its text is shown without styles.")}
        </p>
      )}
      <div className={classes["preview"]}>
        <WindowFrame
          address={snapshot.render}
          title={t("Snapshot {number} as it looked", { number: String(snapshot.number) })}
          height={limits.snapshotPreviewHeightPx}
          viewport={snapshot.viewport}
        />
      </div>
    </Card>
  );
}

function Disabled({ object }: { object: TestSnapshot["testobject"] }) {
  return (
    <Card title={t("Preview")} className={classes["card"]}>
      <p className={classes["sentence"]}>
        {rich(
          "Previews are disabled for this test object. Turn on “Keep assets” under Options of {name} and take a new snapshot.",
          {
            name: (
              <Link to={`/objects/${object.id}`} className="link">
                {object.name}
              </Link>
            ),
          },
        )}
      </p>
    </Card>
  );
}

function OpenInNewTab({ id, hasAssets }: { id: string; hasAssets: boolean }) {
  if (isShared) return null;
  return hasAssets ? (
    <Button
      component="a"
      href={`/snapshots/${id}/render`}
      target="_blank"
      rel="noopener"
      variant="default"
      size="xs"
      leftSection={<IconExternalLink size={14} aria-hidden />}
    >
      {t("Open in new tab")}
    </Button>
  ) : (
    <Button
      variant="default"
      size="xs"
      disabled
      title={t("No assets are stored with this snapshot")}
      leftSection={<IconExternalLink size={14} aria-hidden />}
    >
      {t("Open in new tab")}
    </Button>
  );
}
