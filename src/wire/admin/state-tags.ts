/** Tags of a state document, by flag. */
import type { Complaints } from '../../model/complaints.ts';
import { MISSING } from '../../model/invalid-input.ts';
import type { StateDocument } from './state-input.ts';

/** Undefined for every flag if the document has no tags: then it does not show whether it was requested with them. */
export function readTags(
  document: StateDocument,
  complaints: Complaints,
): (flag: string) => readonly string[] | undefined {
  const rows = document.featureTags ?? [];
  if (rows.length === 0) return () => undefined;
  const tags = new Map<string, string[]>();
  for (const [index, row] of rows.entries()) {
    const { featureName, tagType = row.type, tagValue = row.value } = row;
    for (const [key, value] of Object.entries({ tagType, tagValue })) {
      if (value === undefined) complaints.add(['featureTags', `${index}`, key], MISSING.complaint);
    }
    const listed = tags.get(featureName) ?? [];
    tags.set(featureName, listed);
    listed.push(`${tagType}:${tagValue}`);
  }
  return (flag) => tags.get(flag) ?? [];
}
