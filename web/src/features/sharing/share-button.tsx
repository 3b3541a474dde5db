import { Button } from "@mantine/core";
import { IconShare } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { t } from "../../texts/text.js";
import { Needs } from "../../ui/access/needs.js";
import type { ShareOf } from "./share-of.js";

const ShareDialog = lazy(() => import("./share-dialog.js"));

/** Opens the dialog in which a link to one thing is made. */
export function ShareButton({ of }: { of: ShareOf }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Needs call="createShare">
        <Button variant="default" leftSection={<IconShare size={15} aria-hidden />} onClick={() => setOpened(true)}>
          {t("Share…")}
        </Button>
      </Needs>
      <Suspense fallback={null}>{opened && <ShareDialog of={of} onClose={() => setOpened(false)} />}</Suspense>
    </>
  );
}
