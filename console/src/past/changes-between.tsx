/** What changed between two times: the flags that differ, field by field. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api.generated.ts';
import { answerOf, api } from '../api.ts';
import { draftOfTime, timeOf, timeProblem } from '../editor/draft/time-draft.ts';
import { TimeField } from '../editor/form/time-field.tsx';
import { Changes } from '../editor/history/changes.tsx';
import { featurePath } from '../feature-link.tsx';
import { Loaded } from '../loaded.tsx';
import { ProjectFrame } from '../project/project-frame.tsx';
import { useAddress } from '../use-address.ts';
import { exactUtcText, type GapSide, gapSideOf, utcText, withPast } from './past-time.ts';
import '../style/past.css';

const NAMES = ['tab', 'from', 'to', 'inGap'] as const;

interface ChangesBetweenProps {
  readonly projectId: string;
  /** Absent: all flags of the project. */
  readonly feature?: string;
}

interface DiffTimes {
  readonly from: string;
  /** Empty: now. */
  readonly to: string;
  readonly inGap: GapSide | undefined;
}

const diffQuery = ({ projectId, feature }: ChangesBetweenProps, { from, to, inGap }: DiffTimes) =>
  queryOptions({
    queryKey: ['project', projectId, 'diff', feature, from, to, inGap],
    queryFn: () => {
      const query = {
        ...{ from, ...(to !== '' && { to }), ...(inGap && { inGap }) },
        ...(feature !== undefined && { feature: [feature] }),
      };
      return answerOf(api.GET('/api/admin/projects/{projectId}/diff', { params: { path: { projectId }, query } }));
    },
    enabled: from !== '',
  });

/** For all flags of a project. */
export function ChangesPage({ projectId }: { readonly projectId: string }) {
  return (
    <ProjectFrame projectId={projectId}>
      <ChangesBetween projectId={projectId} />
    </ProjectFrame>
  );
}

export function ChangesBetween(props: ChangesBetweenProps) {
  const { values, change } = useAddress(NAMES);
  const { from, to } = values;
  const times = { from, to, inGap: gapSideOf(values.inGap) };
  return (
    <>
      <TimesForm key={`${from} ${to}`} {...{ from, to }} onCompare={(next) => change({ ...next, inGap: '' })} />
      {from === '' ? (
        <p className="empty">Choose a time to see what changed since.</p>
      ) : (
        <Differences {...props} times={times} onSide={(inGap) => change({ inGap })} />
      )}
    </>
  );
}

interface TimesFormProps extends Pick<DiffTimes, 'from' | 'to'> {
  readonly onCompare: (times: Pick<DiffTimes, 'from' | 'to'>) => void;
}

function TimesForm({ from, to, onCompare }: TimesFormProps) {
  const [first, setFirst] = useState(() => draftOf(from));
  const [second, setSecond] = useState(() => draftOf(to));
  const [start, end] = [timeOf(first), timeOf(second)];
  const isReady = start !== undefined && timeProblem(first, second) === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onCompare({ from: start, to: end ?? '' });
  };
  return (
    <form className="times" onSubmit={submit}>
      <TimeField label="From" none="Choose a time that has passed." time={first} onChange={setFirst} isExact />
      <TimeField label="To" none="Now." time={second} onChange={setSecond} isExact />
      <button type="submit" className="primary" disabled={!isReady}>
        Compare
      </button>
    </form>
  );
}

function draftOf(text: string) {
  return draftOfTime(text === '' || Number.isNaN(Date.parse(text)) ? undefined : text);
}

interface DifferencesProps extends ChangesBetweenProps {
  readonly times: DiffTimes;
  readonly onSide: (inGap: GapSide) => void;
}

function Differences({ projectId, feature, times, onSide }: DifferencesProps) {
  const query = useQuery(diffQuery({ projectId, ...(feature !== undefined && { feature }) }, times));
  const { from, to, inGap } = times;
  return (
    <section aria-live="polite">
      <h2>
        Between {utcText(from)} and {to === '' ? 'now' : utcText(to)}
        {inGap && ` (${inGap} uncertain changes)`}
      </h2>
      <Loaded query={query}>
        {({ flags, more }) =>
          flags.length === 0 ? (
            <p className="empty">Nothing differs.</p>
          ) : (
            <>
              {flags.some(({ action }) => action === 'uncertain') && <Sides onSide={onSide} />}
              <ul className="differences">
                {flags.map((diff) => (
                  <li key={diff.name} className="card">
                    <FlagChange {...{ projectId, diff, times }} isAlone={feature !== undefined} />
                  </li>
                ))}
              </ul>
              {more > 0 && <p className="hint">And {more} more flags.</p>}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function Sides({ onSide }: Pick<DifferencesProps, 'onSide'>) {
  return (
    <p className="buttons">
      Take uncertain changes as
      <button type="button" onClick={() => onSide('before')}>
        not made yet
      </button>
      <button type="button" onClick={() => onSide('after')}>
        made already
      </button>
    </p>
  );
}

const ACTIONS: Readonly<Record<Schemas['FlagDiff']['action'], string>> = {
  created: 'created',
  changed: 'changed',
  replaced: 'deleted and made again',
  gone: 'deleted',
  uncertain: 'uncertain',
};

const PLAIN: readonly string[] = ['created', 'changed'];

interface FlagChangeProps extends Pick<DifferencesProps, 'projectId' | 'times'> {
  readonly diff: Schemas['FlagDiff'];
  readonly isAlone: boolean;
}

function FlagChange({ projectId, diff, times, isAlone }: FlagChangeProps) {
  const { name, action, changes, moreChanges, uncertain } = diff;
  const id = useId();
  const path = featurePath(projectId, name);
  const shown = action === 'gone' ? times.from : times.to;
  return (
    <article aria-labelledby={id}>
      <h3 id={id}>
        {!isAlone && <Link href={withPast(path, shown === '' ? undefined : { at: shown })}>{name}</Link>}{' '}
        <span className={PLAIN.includes(action) ? 'mark' : 'mark warning'}>{ACTIONS[action]}</span>
      </h3>
      {uncertain.map(({ from, until }) => (
        <p key={from}>
          Uncertain between {exactUtcText(from)} and {exactUtcText(until)}
        </p>
      ))}
      <Changes changes={changes.map(({ path: field, before, after }) => ({ path: shortPath(field), before, after }))} />
      {moreChanges > 0 && <p className="hint">And {moreChanges} more fields.</p>}
    </article>
  );
}

function shortPath(path: string): string {
  return path.replace(/^spec\./, '');
}
