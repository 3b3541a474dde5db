import { SetMetadata } from "@nestjs/common";

const publicKey = "web-tester:public";

/** Marks a route that answers without a token: health, metrics, feeds, and what the table calls public. */
export const Public = () => SetMetadata(publicKey, true);

/** Whether a method was marked as public. */
export function isPublic(handler: object): boolean {
  const marked: unknown = Reflect.getMetadata(publicKey, handler);
  return marked === true;
}
