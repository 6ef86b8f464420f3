/** The fields of the context that SDKs evaluate flags for. */
import { z } from 'zod';

const legalValue = z.object({ value: z.string().min(1).max(100), description: z.string().max(1000).optional() });

/** A field as Unleash lists it; other members of that list are dropped. */
export const contextField = z.object({
  name: z.string().min(1).max(100),
  description: z.string().max(1000).nullable().optional(),
  stickiness: z.boolean().optional(),
  legalValues: z.array(legalValue).max(1000).optional(),
});
export type ContextField = z.infer<typeof contextField>;

/** The fields that every SDK fills. */
const builtIn: readonly ContextField[] = [
  { name: 'environment', description: 'The environment of the application.' },
  { name: 'userId', description: 'The id of the user.', stickiness: true },
  { name: 'sessionId', description: 'The id of the session.', stickiness: true },
  { name: 'appName', description: 'The name of the application.' },
  { name: 'currentTime', description: 'The present time; the field of constraints on dates.' },
  { name: 'remoteAddress', description: 'The IP address of the user.' },
];

/** The built-in fields, then the others in their order. A field with the name of a built-in one replaces it. */
export function withBuiltInFields(fields: readonly ContextField[]): readonly ContextField[] {
  return [...new Map([...builtIn, ...fields].map((field) => [field.name, field])).values()];
}
