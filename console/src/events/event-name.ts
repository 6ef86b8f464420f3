/** The name of an event for people. */
import type { Schemas } from '../api.generated.ts';

/** The API has no label for some types: then the words of the type, such as "Flag updated". */
export function eventName({ label, type }: Pick<Schemas['Event'], 'label' | 'type'>): string {
  if (label !== type) return label;
  const words = type
    .replace(/^feature\b/, 'flag')
    .replace(/^pat\b/, 'personal token')
    .replace(/^api\b/, 'API')
    .replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
