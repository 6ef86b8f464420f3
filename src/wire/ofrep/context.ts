/** The context of a request of OFREP in the terms of flags. */

type Given = Readonly<Record<string, unknown>>;

/** `environment` is that of the token. OFREP has no `properties`: a member of that name is one value as any other. */
export function ofrepContext({ targetingKey, properties, ...given }: Given, environment: string): Given {
  return { userId: targetingKey, ...given, properties: { targetingKey, properties }, environment };
}
