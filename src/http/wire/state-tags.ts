/** Tags of a state document, by flag. */
import { MOST_TAGS } from '../../schema/tag.ts';
import type { Complaints } from './state-complaints.ts';
import type { StateDocument } from './state-input.ts';

/** Undefined of every flag: the document has no tags, and does not tell whether it was asked for them. */
export function readTags(
  document: StateDocument,
  complaints: Complaints,
): (flag: string) => readonly string[] | undefined {
  const rows = document.featureTags ?? [];
  if (rows.length === 0) return () => undefined;
  const tags = new Map<string, Set<string>>();
  for (const [index, row] of rows.entries()) {
    const at = ['featureTags', `${index}`];
    const { featureName, tagType = row.type, tagValue = row.value } = row;
    refuseMissing({ tagType, tagValue }, (key) => complaints.add([...at, key], REQUIRED));
    const listed = tags.get(featureName) ?? new Set();
    tags.set(featureName, listed.add(`${tagType}:${tagValue}`));
    if (listed.size > MOST_TAGS) complaints.add(at, `is one tag of its flag too many. There are at most ${MOST_TAGS}.`);
  }
  return (flag) => [...(tags.get(flag) ?? [])];
}

const REQUIRED = 'is required. It was not present on the data you sent.';

function refuseMissing(row: Readonly<Record<string, string | undefined>>, complain: (key: string) => void): void {
  for (const [key, value] of Object.entries(row)) if (value === undefined) complain(key);
}
