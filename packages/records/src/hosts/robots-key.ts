/**
 * What follows an origin in `robots_file.origin` where an object asked its own site, with its consent and its credentials: what
 * one object is told is not told to others. Objects without credentials share an answer; the digest is over sealed secrets.
 * @param object alias of `test_object`
 */
export function ownRobots(object: string): string {
  const sealed = `encode(${object}.auth_password_sealed, 'hex')`;
  const credentials = `concat_ws('|', ${object}.auth_type, ${object}.auth_username, ${sealed})`;
  return `' own' || CASE WHEN ${object}.auth_enabled THEN ' ' || encode(sha256(convert_to(${credentials}, 'UTF8')), 'hex') ELSE '' END`;
}
