import { z } from "zod";

/**
 * Zod compiles parsers with `new Function` where it may, and finds out by trying when a schema is made. The content
 * security policy forbids that and reports the attempt, so this has to run before any schema: main.tsx imports it first.
 */
z.config({ jitless: true });
