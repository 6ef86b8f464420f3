/** A strategy of a draft as a sentence. */
import { useSegmentNames } from '../../feature/segment-names.ts';
import { strategySentence } from '../../feature/sentences.ts';
import { type StrategyDraft, shownStrategy } from '../draft/strategy-draft.ts';

export function StrategySentence({ strategy }: { readonly strategy: StrategyDraft }) {
  return <p className="sentence">{strategySentence(shownStrategy(strategy), useSegmentNames())}</p>;
}
