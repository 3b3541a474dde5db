import { Controller, Req } from "@nestjs/common";
import type { Input, Response } from "@web-tester/contracts/api";
import type { Request } from "express";
import { Public } from "../auth/access.guard.js";
import { Handles, Parsed } from "./handles.js";
import { publicAddress } from "./public-address.js";

@Controller()
export class ConfigController {
  @Handles("getConfig")
  @Public()
  async config(@Parsed() _input: Input<"getConfig">, @Req() request: Request): Promise<Response<"getConfig">> {
    return publicAddress(request.headers, request.socket.localPort ?? 80);
  }
}
