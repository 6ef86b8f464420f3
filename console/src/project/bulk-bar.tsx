/** Changes several flags of a project at once: all of them, or none. */
import { useState } from 'react';
import type { Schemas } from '../api.generated.ts';
import { api, checked } from '../api.ts';
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx';
import { useAllowed } from '../use-allowed.ts';
import { type Trial, trialOf } from '../write/trial.ts';
import { type Force, useWrite } from '../write/use-write.tsx';
import { BULK_ENDPOINTS, SWITCHES } from './bulk-paths.ts';

type SelectedFlag = Pick<Schemas['Feature'], 'name' | 'type'>;

interface BulkBarProps {
  readonly projectId: string;
  /** The environments in which the user may switch. */
  readonly environments: readonly Schemas['ProjectEnvironment'][];
  readonly selected: readonly SelectedFlag[];
  readonly onDone: () => void;
}

interface Change {
  /** The beginning of the question, such as "Archive" in "Archive 2 flags?". */
  readonly verb: string;
  readonly where?: string;
  readonly caution: string;
  readonly send: (query: Force) => Promise<unknown>;
  /** Sends a dry run, which returns warnings or a refusal. */
  readonly attempt?: () => Promise<Trial>;
}

const BASE = '/api/admin/projects/{projectId}';

export function BulkBar({ projectId, environments, selected, onDone }: BulkBarProps) {
  const [asked, setAsked] = useState<Change>();
  const { write, isPending, problem } = useWrite({
    what: 'selection',
    send: ({ send }: Change, force: Force) => send(force),
    onDone,
  });
  const count = selected.length === 1 ? '1 flag' : `${selected.length} flags`;
  return (
    <section className="bulk" aria-label="Change the selected flags">
      <strong role="status">{count} selected</strong>
      <fieldset className="buttons" disabled={isPending}>
        <SwitchButtons {...{ projectId, environments, selected }} onAsk={setAsked} />
        <FlagButtons {...{ projectId, selected }} onAsk={setAsked} />
        <button type="button" className="quiet" onClick={onDone}>
          Clear
        </button>
      </fieldset>
      {asked && (
        <ConfirmDialog
          question={`${asked.verb} ${count}${asked.where ?? ''}?`}
          caution={asked.caution}
          {...(asked.attempt && { attempt: asked.attempt })}
          action={asked.verb}
          onClose={() => setAsked(undefined)}
          onConfirm={() => write(asked)}
        />
      )}
      {problem}
    </section>
  );
}

/** Names the selected kill switches, which the user may have selected by mistake. */
function killSwitchesOf(selected: readonly SelectedFlag[]): string {
  const names = selected.filter(({ type }) => type === 'kill-switch').map(({ name }) => name);
  if (names.length === 0) return '';
  return names.length === 1 ? ` ${names[0]} is a kill switch.` : ` These are kill switches: ${names.join(', ')}.`;
}

interface ButtonsProps extends Pick<BulkBarProps, 'projectId' | 'selected'> {
  readonly onAsk: (change: Change) => void;
}

function FlagButtons({ projectId, selected, onAsk }: ButtonsProps) {
  const isAllowed = useAllowed(projectId);
  const path = { projectId };
  const features = selected.map(({ name }) => name);
  const mark = (stale: boolean): Change => ({
    verb: stale ? 'Mark as stale' : 'Mark as not stale',
    caution: 'The mark changes nothing for clients.',
    send: (query) =>
      checked(api.POST(`${BASE}/stale`, { params: { path, query }, body: { features, stale }, parseAs: 'text' })),
  });
  const send = (query: Force & { readonly dryRun?: true }) =>
    checked(api.POST(`${BASE}/archive`, { params: { path, query }, body: { features }, parseAs: 'text' }));
  const archive: Change = {
    verb: 'Archive',
    caution: `Archived flags are off everywhere. They can be revived.${killSwitchesOf(selected)}`,
    send,
    attempt: () => trialOf(() => send({ dryRun: true })),
  };
  return (
    <>
      {isAllowed(BULK_ENDPOINTS.stale) &&
        [mark(true), mark(false)].map((change) => (
          <button key={change.verb} type="button" onClick={() => onAsk(change)}>
            {change.verb}
          </button>
        ))}
      {isAllowed(BULK_ENDPOINTS.archive) && (
        <button type="button" className="danger" onClick={() => onAsk(archive)}>
          Archive
        </button>
      )}
    </>
  );
}

function SwitchButtons({
  projectId,
  environments,
  selected,
  onAsk,
}: ButtonsProps & Pick<BulkBarProps, 'environments'>) {
  const [chosen, setChosen] = useState('');
  const environment = environments.find(({ name }) => name === chosen) ?? environments[0];
  if (!environment) return null;
  const change = (position: 'on' | 'off'): Change => {
    const options = {
      ...{ body: { features: selected.map(({ name }) => name) }, parseAs: 'text' as const },
      params: { path: { projectId, environment: environment.name } },
    };
    const withQuery = (query: Force) => ({ ...options, params: { ...options.params, query } });
    return {
      verb: `Switch ${position}`,
      where: ` in ${environment.displayName}`,
      caution: `${
        environment.protected
          ? `${environment.displayName} is a protected environment.`
          : 'If one of them is refused, none is switched.'
      }${killSwitchesOf(selected)}`,
      send: (query) => {
        const sent = withQuery(query);
        return checked(
          position === 'on' ? api.POST(`/api/admin${SWITCHES}/on`, sent) : api.POST(`/api/admin${SWITCHES}/off`, sent),
        );
      },
    };
  };
  return (
    <>
      <select aria-label="Environment" value={environment.name} onChange={({ target }) => setChosen(target.value)}>
        {environments.map(({ name, displayName }) => (
          <option key={name} value={name}>
            {displayName}
          </option>
        ))}
      </select>
      {(['on', 'off'] as const).map((position) => (
        <button key={position} type="button" onClick={() => onAsk(change(position))}>
          Switch {position}
        </button>
      ))}
    </>
  );
}
