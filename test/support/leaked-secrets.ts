/** Finds secret values in texts that others may read. */

/** A part of this length is nowhere by chance, and still finds a truncated value. */
const MIN_PART_LENGTH = 12;

/**
 * Texts that would disclose a value: the value, the parts that cannot be guessed, and both as written in YAML, URLs and
 * Secrets.
 */
export function traitsOf(value: string): readonly string[] {
  const parts = [value, ...value.split(/[.:]/).filter((part) => part.length >= MIN_PART_LENGTH)];
  const traits = parts.flatMap((part) => [
    part,
    part.toLowerCase(),
    encodeURIComponent(part),
    JSON.stringify(part).slice(1, -1),
    Buffer.from(part).toString('base64').replace(/=+$/, '').slice(0, -1),
    Buffer.from(part).toString('hex'),
  ]);
  return [...new Set(traits)];
}

/** The names of the values that a text discloses, by any of their traits. */
export function recordedIn(text: string, values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    traitsOf(value).some((trait) => text.includes(trait)) ? [name] : [],
  );
}
