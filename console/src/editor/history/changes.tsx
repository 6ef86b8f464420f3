/** The fields that an event changed, with their values before and after. */
import type { Schemas } from '../../api.generated.ts';
import type { SegmentNames } from '../../feature/sentences.ts';
import { type FieldChange, fieldChanges, stateText } from './field-changes.ts';
import '../../style/editor.css';

type Event = Schemas['Event'];

export function changesOf({ type, data, preData }: Event, nameOfSegment: SegmentNames): readonly FieldChange[] {
  if (data && preData) return fieldChanges(preData, data, nameOfSegment);
  const textOf = (state: Event['data']) => state && stateText(type, state, nameOfSegment);
  const [before, after] = [textOf(preData), textOf(data)];
  return before || after ? [{ path: '', before: before ?? undefined, after: after ?? undefined }] : [];
}

export function Changes({ changes }: { readonly changes: readonly FieldChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className="field-changes">
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          {path !== '' && <code>{path}</code>} {before !== undefined && <del>{before}</del>}{' '}
          {after !== undefined && <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  );
}
