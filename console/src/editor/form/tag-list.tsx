/** Edits the tags of a flag. */
import { type KeyboardEvent, useId, useState } from 'react';
import { Chips } from '../../chips.tsx';
import { isTag, type TagDraft, tagText } from '../draft/tag-draft.ts';

interface TagListProps {
  readonly tags: readonly TagDraft[];
  readonly onChange: (tags: readonly TagDraft[]) => void;
}

const EMPTY: TagDraft = { type: 'simple', value: '' };

export function TagList({ tags, onChange }: TagListProps) {
  return (
    <div className="pieces">
      {tags.length === 0 ? (
        <p className="hint">None.</p>
      ) : (
        <Chips
          label="Tags"
          noun="tag"
          chips={tags.map((tag) => ({
            key: tagText(tag),
            text: tagText(tag),
            onRemove: () => onChange(tags.filter((one) => one !== tag)),
          }))}
        />
      )}
      <NewTag tags={tags} onAdd={(tag) => onChange([...tags, tag])} />
    </div>
  );
}

interface NewTagProps {
  readonly tags: readonly TagDraft[];
  readonly onAdd: (tag: TagDraft) => void;
}

function NewTag({ tags, onAdd }: NewTagProps) {
  const [tag, setTag] = useState(EMPTY);
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const add = () => {
    const wanted = { type: tag.type.trim(), value: tag.value.trim() };
    if (!isTag(wanted)) return setProblem('Type and value have 2 to 50 characters, the type without spaces.');
    setProblem(undefined);
    setTag({ ...EMPTY, type: wanted.type });
    if (!tags.some((one) => tagText(one) === tagText(wanted))) onAdd(wanted);
  };
  const addAtEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add();
  };
  return (
    <div className="picker">
      <label>
        Type of the tag
        <input
          value={tag.type}
          autoComplete="off"
          aria-describedby={id}
          onChange={({ target }) => setTag({ ...tag, type: target.value })}
          onKeyDown={addAtEnter}
        />
      </label>
      <label>
        Value of the tag
        <input
          value={tag.value}
          autoComplete="off"
          aria-describedby={id}
          onChange={({ target }) => setTag({ ...tag, value: target.value })}
          onKeyDown={addAtEnter}
        />
      </label>
      <button type="button" onClick={add}>
        Add the tag
      </button>
      <span id={id} role="alert" className="error">
        {problem}
      </span>
    </div>
  );
}
