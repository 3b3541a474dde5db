import { expect, test } from "@jest/globals";
import type { Request } from "express";
import type { GatewayOptions } from "../parts.js";
import { ConfigController } from "./config.controller.js";

const request = { headers: { host: "example.com" }, socket: { localPort: 80 } } as unknown as Request;
const configOf = (fullDisk: GatewayOptions["fullDisk"]) =>
  new ConfigController({ undoSeconds: 0, samplePort: null, fullDisk } as unknown as GatewayOptions).config(
    { params: {}, query: {}, body: undefined },
    request,
  );

test("the browser is told that the disk is full, and when it is not, but not where it is", async () => {
  expect(await configOf(() => "The disk of /srv/data is full.")).toMatchObject({ disk_full: true });
  expect(await configOf(() => null)).toMatchObject({ disk_full: false });
  expect(JSON.stringify(await configOf(() => "The disk of /srv/data is full."))).not.toContain("/srv/data");
});
