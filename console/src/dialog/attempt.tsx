/** Shows the warnings of a dry run, or the reason why the change would be refused. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { DRAFT, READ_ONCE } from '../editor/draft-query.ts';
import { Loaded } from '../loaded.tsx';
import type { Trial } from '../write/trial.ts';

export function Attempt({ attempt }: { readonly attempt: () => Promise<Trial> }) {
  const trial = useQuery({ queryKey: [DRAFT, 'attempt', useId()], queryFn: attempt, ...READ_ONCE });
  return (
    <Loaded query={trial}>
      {({ warning, refusal }) => {
        const text = refusal?.message ?? warning;
        return text !== undefined && <p className="caution message">{text}</p>;
      }}
    </Loaded>
  );
}
