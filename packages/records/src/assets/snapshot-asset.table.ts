import { EntitySchema } from "typeorm";

/**
 * One file of a list: a file that a page, or a stylesheet or document in it, needs; stored, or missing with the reason. `url`: absolute,
 * without fragment; `base_url`: the address after redirects, null when that is `url`. `content_type` as the server sent it; `extension` is
 * the type it is served as. Written in the transaction that writes its list, never changed.
 */
export const snapshotAssetEntity = new EntitySchema({
  name: "snapshot_asset",
  columns: {
    id: { type: "uuid", primary: true, default: () => "uuidv7()" },
    list_id: { type: "uuid" },
    url: { type: "text" },
    base_url: { type: "text", nullable: true },
    kind: { type: "text" },
    content_hash: { type: "bytea", nullable: true },
    content_type: { type: "text", default: "" },
    extension: { type: "text", default: "" },
    error: { type: "text", nullable: true },
  },
  indices: [
    { name: "asset_of_list", columns: ["list_id"] },
    { name: "asset_content", columns: ["content_hash", "extension"], where: "content_hash IS NOT NULL" },
  ],
  foreignKeys: [
    {
      name: "fk_asset_list",
      target: "file_list",
      columnNames: ["list_id"],
      referencedColumnNames: ["id"],
      onDelete: "CASCADE",
    },
    { name: "fk_asset_content", target: "content", columnNames: ["content_hash"], referencedColumnNames: ["hash"] },
  ],
});
