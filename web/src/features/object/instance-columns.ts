import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import type { Columns } from "../../ui/download/list-file.js";

/** The columns of the list of pages as a file. */
export const instanceColumns: Columns<TestInstanceListItem> = {
  name: ({ name }) => name,
  url: ({ url }) => url,
  status: ({ status }) => status,
  http_status: ({ http_status }) => http_status,
  error: ({ error }) => error,
  lifecycle: ({ lifecycle }) => lifecycle,
  snapshots: ({ snapshots_total }) => snapshots_total,
  last_snapshot_at: ({ last_snapshot_at }) => last_snapshot_at,
  changed_at: ({ changed_at }) => changed_at,
  lines_added: ({ lines_added }) => lines_added,
  lines_removed: ({ lines_removed }) => lines_removed,
  size_bytes: ({ size_bytes }) => size_bytes,
  id: ({ id }) => id,
};
