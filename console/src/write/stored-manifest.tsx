/** Shows the manifest of an object in the cluster; reads it when the part is opened. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { Loaded } from '../loaded.tsx';

interface StoredManifestProps {
  /** The name of the object, such as "production" in "YAML of production". */
  readonly of: string;
  readonly queryKey: readonly string[];
  /** Asks for `application/yaml`. */
  readonly read: () => Parameters<typeof answerOf<string>>[0];
}

export function StoredManifest({ of, queryKey, read }: StoredManifestProps) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({ queryKey, queryFn: () => answerOf(read()), enabled: isOpen });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>YAML of {of}</summary>
      {isOpen && <Loaded query={query}>{(text) => <CopyableText text={text} label={`YAML of ${of}`} />}</Loaded>}
    </details>
  );
}
