import type { Confirmation } from "../../ui/dialog/confirm-dialog.js";
import { t } from "../../texts/text.js";

interface Sizes {
  readonly name: string;
  readonly instances_total: number;
  readonly snapshots_total: number;
}

const losses = (object: Sizes) => [
  { label: t("Instances"), count: object.instances_total },
  { label: t("Snapshots"), count: object.snapshots_total },
];

/** The questions before something is deleted, in the words of the specification (§5). */
export const confirmations = {
  deleteObject: (object: Sizes): Confirmation => ({
    title: t("Delete object"),
    sentence: t('Are you sure you want to delete "{name}"? This will delete all instances and snapshots.', {
      name: object.name,
    }),
    losses: losses(object),
  }),
  deleteInstance: (instance: { name: string; url: string; snapshots_total: number }): Confirmation => ({
    title: t("Delete instance"),
    sentence: t('Are you sure you want to delete "{name}"? This will delete all its snapshots.', {
      name: instance.name || instance.url,
    }),
    losses: [{ label: t("Snapshots"), count: instance.snapshots_total }],
  }),
  deleteSnapshots: (object: Sizes): Confirmation => ({
    title: t("Delete snapshots"),
    sentence: t(
      'Are you sure you want to delete all snapshots of "{name}"? Instances are kept. This cannot be undone.',
      { name: object.name },
    ),
    losses: [{ label: t("Snapshots"), count: object.snapshots_total }],
  }),
  deleteInstances: (object: Sizes): Confirmation => ({
    title: t("Delete instances"),
    sentence: t(
      'Are you sure you want to delete all instances of "{name}" with their snapshots? This cannot be undone.',
      { name: object.name },
    ),
    losses: losses(object),
  }),
};
