/** Chooses the tags that several flags get and lose. */
import { useState } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { Dialog } from '../../dialog/dialog.tsx';
import { type TagDraft, tagText } from '../../editor/draft/tag-draft.ts';
import { TagList } from '../../editor/form/tag-list.tsx';
import '../../style/editor.css';

interface TagsDialogProps {
  readonly selected: readonly Pick<Schemas['FeatureSummary'], 'tags'>[];
  readonly onChange: (tags: Schemas['ChangeTags']) => void;
  readonly onClose: () => void;
}

export function TagsDialog({ selected, onChange, onClose }: TagsDialogProps) {
  const [added, setAdded] = useState<readonly TagDraft[]>([]);
  const [removed, setRemoved] = useState<readonly TagDraft[]>([]);
  const counts = countsOf(selected);
  const isEmpty = added.length + removed.length === 0;
  const mark = (tag: TagDraft, isRemoved: boolean) => {
    const others = removed.filter((one) => tagText(one) !== tagText(tag));
    setRemoved(isRemoved ? [...others, tag] : others);
  };
  return (
    <Dialog title="Tags of the selected flags" onClose={onClose}>
      <h3>Add</h3>
      <TagList tags={added} onChange={setAdded} />
      {counts.length > 0 && (
        <fieldset className="editor">
          <legend>Remove</legend>
          {counts.map(({ tag, count }) => (
            <label key={tagText(tag)} className="check">
              <input
                type="checkbox"
                checked={removed.some((one) => tagText(one) === tagText(tag))}
                onChange={({ target }) => mark(tag, target.checked)}
              />
              {tagText(tag)} ({count})
            </label>
          ))}
        </fieldset>
      )}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="primary"
          disabled={isEmpty}
          onClick={() => {
            onClose();
            onChange({ addedTags: [...added], removedTags: [...removed] });
          }}
        >
          Go on
        </button>
      </div>
    </Dialog>
  );
}

/** The tags of the flags with the number of flags that have them, by name. */
function countsOf(selected: TagsDialogProps['selected']) {
  const tags = selected.flatMap((flag) => flag.tags);
  return Object.entries(Object.groupBy(tags, tagText))
    .map(([text, same = []]) => ({ text, tag: { type: '', value: '', ...same[0] }, count: same.length }))
    .toSorted((one, other) => (one.text < other.text ? -1 : 1));
}

export function tagsSentence(tags: Schemas['ChangeTags']): string {
  const [addedTags, removedTags] = [tags.addedTags ?? [], tags.removedTags ?? []];
  const sentences = [
    ...(addedTags.length > 0 ? [`Add ${addedTags.map(tagText).join(', ')}.`] : []),
    ...(removedTags.length > 0 ? [`Remove ${removedTags.map(tagText).join(', ')}.`] : []),
  ];
  return `${sentences.join(' ')} Other tags stay.`;
}
