import type { Confirmation } from "../../ui/dialog/confirm-dialog.js";

interface Sizes {
  readonly name: string;
  readonly instances_total: number;
  readonly snapshots_total: number;
}

const losses = (object: Sizes) => [
  { label: "Instances", count: object.instances_total },
  { label: "Snapshots", count: object.snapshots_total },
];

/** The questions before something is lost, in the words of the specification (§5). */
export const confirmations = {
  deleteObject: (object: Sizes): Confirmation => ({
    title: "Delete object",
    sentence: `Are you sure you want to delete "${object.name}"? This will delete all instances and snapshots.`,
    losses: losses(object),
  }),
  deleteInstance: (instance: { name: string; url: string; snapshots_total: number }): Confirmation => ({
    title: "Delete instance",
    sentence: `Are you sure you want to delete "${instance.name || instance.url}"? This will delete all its snapshots.`,
    losses: [{ label: "Snapshots", count: instance.snapshots_total }],
  }),
  deleteSnapshots: (object: Sizes): Confirmation => ({
    title: "Delete snapshots",
    sentence: `Are you sure you want to delete all snapshots of "${object.name}"? Instances are kept. This cannot be undone.`,
    losses: [{ label: "Snapshots", count: object.snapshots_total }],
  }),
  deleteInstances: (object: Sizes): Confirmation => ({
    title: "Delete instances",
    sentence: `Are you sure you want to delete all instances of "${object.name}" with their snapshots? This cannot be undone.`,
    losses: losses(object),
  }),
};
