/** Evaluates one flag for a user. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answerOf, api } from '../api.ts';
import { draftOfTime, timeOf, timeProblem } from '../editor/draft/time-draft.ts';
import { TimeField } from '../editor/form/time-field.tsx';
import { EnvironmentChoice } from '../environment-choice.tsx';
import type { FeaturePlace } from '../feature/place.ts';
import { environmentsQuery } from '../queries.ts';
import { type ContextEntries, ContextFields, contextOf, firstContext } from './context-fields.tsx';
import { WhyView } from './why-view.tsx';
import '../style/editor.css';

const PATH = '/api/admin/projects/{projectId}/features/{featureName}/evaluate';

interface Question {
  readonly environment: string;
  readonly entries: ContextEntries;
  /** Undefined means now. */
  readonly at: string | undefined;
}

/** Sends properties with their prefix, so that the API does not take one for a field. */
function evaluate(path: FeaturePlace, { environment, entries, at }: Question) {
  const { properties, ...fields } = contextOf(entries);
  const named = Object.entries(properties ?? {}).map(([name, value]) => [`properties[${name}]`, value]);
  const query = { ...fields, ...Object.fromEntries(named), ...(environment !== '' && { environment }), at };
  return answerOf(api.GET(PATH, { params: { path, query } }));
}

export function EvaluateTab({ place }: { readonly place: FeaturePlace }) {
  const { data: environments = [] } = useQuery(environmentsQuery(place.projectId));
  const [environment, setEnvironment] = useState('');
  const [entries, setEntries] = useState(firstContext);
  const [at, setAt] = useState(() => draftOfTime(undefined));
  const evaluation = useMutation({ mutationFn: () => evaluate(place, { environment, entries, at: timeOf(at) }) });
  const problem = timeProblem(at);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    evaluation.mutate();
  };
  return (
    <div className="playground">
      <form onSubmit={submit}>
        <EnvironmentChoice
          environments={environments}
          value={environment || (environments[0]?.name ?? '')}
          onChange={setEnvironment}
        />
        <ContextFields entries={entries} onChange={setEntries} />
        <TimeField label="At" none="Now." time={at} onChange={setAt} />
        <button type="submit" className="primary" disabled={evaluation.isPending || problem !== undefined}>
          Evaluate
        </button>
      </form>
      <section aria-live="polite">
        <h2>Result</h2>
        <p role="alert" className="error message">
          {evaluation.error?.message}
        </p>
        {evaluation.data ? (
          <WhyView isOn={evaluation.data.enabled} variant={evaluation.data.variant} why={evaluation.data.why} />
        ) : (
          <p className="hint">Vexil evaluates the flag as SDKs do. Nothing counts as usage.</p>
        )}
      </section>
    </div>
  );
}
