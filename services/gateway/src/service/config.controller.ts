import { Controller, Inject, Req } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { Request } from "express";
import { type GatewayOptions, OPTIONS } from "../parts.js";
import { Handles, Parsed } from "../http/handles.js";
import { publicAddress } from "../http/public-address.js";

@Controller()
export class ConfigController {
  constructor(@Inject(OPTIONS) private readonly options: GatewayOptions) {}

  @Handles("getConfig")
  async config(@Parsed() _input: Input<"getConfig">, @Req() request: Request): Promise<Response<"getConfig">> {
    return {
      ...publicAddress(request.headers, request.socket.localPort ?? 80),
      undo_s: this.options.undoSeconds,
      sample: this.options.samplePort !== null,
      disk_full: this.options.fullDisk() !== null,
      provider: this.options.provider,
    };
  }
}
