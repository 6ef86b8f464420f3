/** Evaluates one flag for a user. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { draftOfTime, timeOf, timeProblem } from '../editor/draft/time-draft.ts';
import { TimeField } from '../editor/form/time-field.tsx';
import { segmentsQuery } from '../editor/form-queries.ts';
import type { FeaturePlace } from '../feature/place.ts';
import { Loaded } from '../loaded.tsx';
import { type GapSide, pastIn, pastQuery, withPast } from '../past/past-time.ts';
import { Uncertain, uncertainIn } from '../past/uncertain.tsx';
import { environmentsQuery, featureQuery } from '../queries.ts';
import { Select } from '../select.tsx';
import { asksQuestion, entriesIn, parametersOf } from './context-address.ts';
import { type ContextEntries, contextOf } from './context-entries.ts';
import { ContextFields } from './context-fields.tsx';
import { fieldsOfFlag, type NamedField } from './fields-of-flag.ts';
import { WhyView } from './why-view.tsx';
import '../style/editor.css';

const PATH = '/api/admin/projects/{projectId}/features/{featureName}/evaluate';

interface EvaluateInput {
  readonly environment: string;
  readonly entries: ContextEntries;
  /** Undefined means now. */
  readonly at: string | undefined;
  readonly inGap: GapSide | undefined;
}

/** Sends properties with their prefix, so that the API does not take one for a field. */
function evaluate(path: FeaturePlace, { environment, entries, at, inGap }: EvaluateInput) {
  const { properties, ...fields } = contextOf(entries);
  const named = Object.entries(properties ?? {}).map(([name, value]) => [`properties[${name}]`, value]);
  const query = {
    ...fields,
    ...Object.fromEntries(named),
    ...(environment !== '' && { environment }),
    at,
    ...(at !== undefined && inGap && { inGap }),
  };
  return answerOf(api.GET(PATH, { params: { path, query } }));
}

export function EvaluateTab({ place }: { readonly place: FeaturePlace }) {
  const feature = useQuery(featureQuery(place));
  const environments = useQuery(environmentsQuery(place.projectId));
  const segments = useQuery(segmentsQuery);
  return (
    <Loaded query={environments}>
      {(list) => (
        <Loaded query={feature}>
          {(flag) =>
            segments.isPending ? (
              <p className="waiting">Loading…</p>
            ) : (
              <Evaluation
                // The form begins anew at another time of the page.
                key={withPast('', place.past)}
                place={place}
                environments={list}
                fields={fieldsOfFlag({ environments: flag.environments, segments: segments.data ?? [] })}
              />
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}

interface EvaluationProps {
  readonly place: FeaturePlace;
  readonly environments: readonly Schemas['ProjectEnvironment'][];
  readonly fields: readonly NamedField[];
}

function Evaluation({ place, environments, fields }: EvaluationProps) {
  const [search, setSearch] = useSearchParams();
  const [environment, setEnvironment] = useState(search.get('environment') || (environments[0]?.name ?? ''));
  const [entries, setEntries] = useState(() => entriesIn(search, fields));
  const [at, setAt] = useState(() => draftOfTime(search.get('at') ?? undefined));
  const past = pastIn(search);
  const evaluation = useMutation({
    mutationFn: (inGap: GapSide | undefined) => evaluate(place, { environment, entries, at: timeOf(at), inGap }),
  });
  const between = uncertainIn(evaluation.error);
  const problem = timeProblem(at);
  const { mutate } = evaluation;
  const [asked] = useState(() => (asksQuestion(search) ? { inGap: past?.inGap } : undefined));
  useEffect(() => {
    if (asked) mutate(asked.inGap);
  }, [asked, mutate]);
  const ask = (inGap: GapSide | undefined) => {
    const time = timeOf(at);
    const named = [
      ['tab', 'evaluate'],
      ['environment', environment],
      ...Object.entries(pastQuery(time === undefined ? undefined : { at: time, ...(inGap && { inGap }) })),
    ];
    setSearch(new URLSearchParams([...named, ...parametersOf(entries)]), { replace: true });
    mutate(inGap);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The side was chosen for a change around that time, not around another one.
    ask(timeOf(at) === past?.at ? past?.inGap : undefined);
  };
  return (
    <div className="playground">
      <form onSubmit={submit}>
        <Select
          label="Environment"
          of={environments.map(({ name, displayName }) => [name, displayName])}
          value={environment}
          onChange={setEnvironment}
        />
        <ContextFields entries={entries} onChange={setEntries} />
        <TimeField label="At" none="Now." time={at} onChange={setAt} />
        <button type="submit" className="primary" disabled={evaluation.isPending || problem !== undefined}>
          Evaluate
        </button>
        <p className="hint">The fields are those that the rules of the flag use. The address asks this again.</p>
      </form>
      <section aria-live="polite">
        <h2>Result</h2>
        {between ? (
          <Uncertain between={between} what="The flag, or what it depends on," onChoose={ask} />
        ) : (
          <p role="alert" className="error message">
            {evaluation.error?.message}
          </p>
        )}
        {evaluation.data ? (
          <WhyView isOn={evaluation.data.enabled} variant={evaluation.data.variant} why={evaluation.data.why} />
        ) : (
          <p className="hint">Vexil evaluates the flag as SDKs do. Nothing counts as usage.</p>
        )}
      </section>
    </div>
  );
}
