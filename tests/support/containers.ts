import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { openDatabase } from "@web-tester/platform/database/database";
import { GenericContainer, type StartedTestContainer } from "testcontainers";
import { until } from "./until.js";

/** The images by server; environment variables can replace them. */
const images = {
  postgres: process.env["TEST_POSTGRES_IMAGE"] ?? "postgres:18-bookworm",
  nats: process.env["TEST_NATS_IMAGE"] ?? "nats:2.14-alpine",
  s3: process.env["TEST_S3_IMAGE"] ?? "chrislusf/seaweedfs:4.05",
};
const password = "web-tester";
const accessKey = { accessKeyId: "web-tester", secretAccessKey: "web-tester-secret" };
const bucket = "objects";

/** PostgreSQL, NATS and an S3 server in containers; `env` makes the product use them. */
export async function startContainers(): Promise<{ env: Record<string, string>; close(): Promise<void> }> {
  const [postgres, nats, s3] = await Promise.all([
    new GenericContainer(images.postgres)
      .withEnvironment({ POSTGRES_PASSWORD: password, POSTGRES_DB: "webtester" })
      .withExposedPorts(5432)
      .start(),
    new GenericContainer(images.nats).withCommand(["-js"]).withExposedPorts(4222).start(),
    new GenericContainer(images.s3)
      .withCommand(["mini", "-dir=/data"])
      .withEnvironment({ AWS_ACCESS_KEY_ID: accessKey.accessKeyId, AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey })
      .withExposedPorts(8333)
      .start(),
  ]);
  const databaseUrl = `postgres://postgres:${password}@${place(postgres, 5432)}/webtester`;
  const endpoint = `http://${place(s3, 8333)}`;
  await Promise.all([databaseAnswers(databaseUrl), makeBucket(endpoint)]);
  return {
    env: {
      DATABASE_URL: databaseUrl,
      NATS_URL: `nats://${place(nats, 4222)}`,
      STORAGE_URL: `s3://${bucket}?endpoint=${endpoint}&region=us-east-1&forcePathStyle=true`,
      AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
    },
    async close() {
      await Promise.all([postgres, nats, s3].map((container) => container.stop()));
    },
  };
}

function place(container: StartedTestContainer, port: number): string {
  // localhost may be an IPv6 address on which the container engine does not publish ports
  return `${container.getHost() === "localhost" ? "127.0.0.1" : container.getHost()}:${container.getMappedPort(port)}`;
}

async function databaseAnswers(url: string): Promise<void> {
  const db = openDatabase(url, 1, () => undefined);
  await until("an answer of PostgreSQL", () => db.check().then(() => true));
  await db.close();
}

async function makeBucket(endpoint: string): Promise<void> {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: accessKey,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  await until("a bucket", () => client.send(new CreateBucketCommand({ Bucket: bucket })).then(() => true));
  client.destroy();
}
