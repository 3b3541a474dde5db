import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { answerBrokenRequests } from "./broken-requests.js";

test("what Node.js refuses by itself is refused as all else is: in words, with the headers of each answer", async () => {
  const server = createServer((_request, response) => response.end());
  answerBrokenRequests(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const asked = request({ host: "127.0.0.1", port, headers: { expect: "dance" } }).end();
    const [answer] = await once(asked, "response");
    expect(answer).toMatchObject({
      statusCode: 417,
      headers: { "x-content-type-options": "nosniff", "content-security-policy": expect.any(String) },
    });
    expect(await json(answer)).toMatchObject({
      status: 417,
      code: "invalid_input",
      message: expect.stringMatching(/without Expect/),
    });
  } finally {
    server.close();
  }
});
