/** What JSON with a tag says. */
import type { TaggedJson } from '../../src/wire/tagged-json.ts';

// biome-ignore lint/suspicious/noExplicitAny: as JSON.parse
export function readTagged({ latin1 }: TaggedJson): any {
  return JSON.parse(Buffer.from(latin1, 'latin1').toString());
}
