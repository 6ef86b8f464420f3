/** The context of an OFREP request as a context for flags. */

type Given = Readonly<Record<string, unknown>>;

/** `environment` is that of the token. OFREP has no `properties`: a member of that name is an ordinary value. */
export function ofrepContext({ targetingKey, properties, ...given }: Given, environment: string): Given {
  return { userId: targetingKey, ...given, properties: { targetingKey, properties }, environment };
}
