/** Changes several flags of a project at once: all of them, or none. */
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { api, checked } from '../../api.ts';
import { ConfirmDialog } from '../../dialog/confirm-dialog.tsx';
import { useAllowed } from '../../use-allowed.ts';
import { BYPASS_FREEZE, type Bypass } from '../../write/bypass.ts';
import { type Trial, trialOf } from '../../write/trial.ts';
import { useWrite, type WriteQuery } from '../../write/use-write.tsx';
import { BULK_ENDPOINTS, SWITCHES } from './bulk-paths.ts';
import { TagsDialog, tagsSentence } from './tags-dialog.tsx';

type SelectedFlag = Pick<Schemas['FeatureSummary'], 'name' | 'type' | 'tags' | 'status'>;

interface BulkBarProps {
  readonly projectId: string;
  /** The environments in which the user may switch. */
  readonly environments: readonly Schemas['ProjectEnvironment'][];
  readonly selected: readonly SelectedFlag[];
  /** What the bar offers to select in addition. */
  readonly children?: ReactNode;
  readonly onDone: () => void;
}

interface Change {
  /** How many flags it changes. */
  readonly count: number;
  readonly bypass?: Bypass | undefined;
  /** The beginning of the question, such as "Archive" in "Archive 2 flags?". */
  readonly verb: string;
  /** The text of the button; absent for the verb. */
  readonly action?: string;
  readonly where?: string;
  readonly caution: string;
  readonly send: (query: WriteQuery) => Promise<unknown>;
  /** Sends a dry run, which returns warnings or a refusal. */
  readonly attempt?: () => Promise<Trial>;
}

const BASE = '/api/admin/projects/{projectId}';

export function BulkBar({ projectId, environments, selected, children, onDone }: BulkBarProps) {
  const [asked, setAsked] = useState<Change>();
  const { write, isPending, problem } = useWrite({
    what: 'selection',
    send: ({ send }: Change, query: WriteQuery) => send(query),
    onDone,
  });
  return (
    <section className="bulk" aria-label="Change the selected flags">
      <strong role="status">{flagsText(selected.length)} selected</strong>
      {children}
      <fieldset className="buttons" disabled={isPending}>
        <SwitchButtons {...{ projectId, environments, selected }} onAsk={setAsked} />
        <FlagButtons {...{ projectId, selected }} onAsk={setAsked} />
        <TagsButton {...{ projectId, selected }} onAsk={setAsked} />
        <button type="button" className="quiet" onClick={onDone}>
          Clear
        </button>
      </fieldset>
      {asked && (
        <ConfirmDialog
          question={`${asked.verb} ${flagsText(asked.count)}${asked.where ?? ''}?`}
          bypass={asked.bypass}
          caution={asked.caution}
          {...(asked.attempt && { attempt: asked.attempt })}
          action={asked.action ?? asked.verb}
          onClose={() => setAsked(undefined)}
          onConfirm={(reason) => write(asked, reason)}
        />
      )}
      {problem}
    </section>
  );
}

function flagsText(count: number): string {
  return count === 1 ? '1 flag' : `${count} flags`;
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
    count: features.length,
    caution: 'The mark changes nothing for clients.',
    send: (query) =>
      checked(api.POST(`${BASE}/stale`, { params: { path, query }, body: { features, stale }, parseAs: 'text' })),
  });
  const send = (query: WriteQuery & { readonly dryRun?: true }) =>
    checked(api.POST(`${BASE}/archive`, { params: { path, query }, body: { features }, parseAs: 'text' }));
  const archive: Change = {
    verb: 'Archive',
    count: features.length,
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

function TagsButton({ projectId, selected, onAsk }: ButtonsProps) {
  const isAllowed = useAllowed(projectId);
  const [isOpen, setOpen] = useState(false);
  if (!isAllowed(BULK_ENDPOINTS.tags)) return null;
  const ask = (tags: Schemas['ChangeTags']) => {
    const body = { features: selected.map(({ name }) => name), tags };
    onAsk({
      verb: 'Change the tags of',
      action: 'Change the tags',
      count: selected.length,
      caution: tagsSentence(tags),
      send: (query) =>
        checked(api.PUT(`${BASE}/tags`, { params: { path: { projectId }, query }, body, parseAs: 'text' })),
    });
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Tags
      </button>
      {isOpen && <TagsDialog selected={selected} onChange={ask} onClose={() => setOpen(false)} />}
    </>
  );
}

interface OwnedSwitch {
  readonly name: string;
  readonly manager: string;
}

/** The flag, if a protected manager owns its switch and would revert this position. */
function ownedIn({ name, status }: SelectedFlag, environment: string, isOn: boolean): readonly OwnedSwitch[] {
  const state = status?.environments.find((one) => one.name === environment);
  if (!state?.switchProtected || state.asked === isOn) return [];
  const owner = state.switchOwners.find((one) => one.protected);
  return [{ name, manager: owner?.manager ?? 'Git' }];
}

function ownedText(left: readonly OwnedSwitch[], count: number): string {
  if (left.length === 0) return '';
  const names = left.map(({ name }) => name).join(', ');
  const managers = [...new Set(left.map(({ manager }) => manager))].join(', ');
  const verb = left.length === 1 ? 'is' : 'are';
  return `${left.length} of ${flagsText(count)} (${names}) ${verb} owned by ${managers} and left as ${left.length === 1 ? 'it is' : 'they are'}: use the switch of the flag for the ways to change it. `;
}

function SwitchButtons({
  projectId,
  environments,
  selected,
  onAsk,
}: ButtonsProps & Pick<BulkBarProps, 'environments'>) {
  const [chosen, setChosen] = useState('');
  const environment = environments.find(({ name }) => name === chosen) ?? environments[0];
  const mayBypass = useAllowed(projectId, environment?.name)(BYPASS_FREEZE);
  if (!environment) return null;
  const change = (position: 'on' | 'off'): Change => {
    const isOn = position === 'on';
    const owned = selected.flatMap((flag) => ownedIn(flag, environment.name, isOn));
    // If all are owned, the answer of the API has the ways to change them.
    const left = owned.length < selected.length ? owned : [];
    const others = selected.filter(({ name }) => !left.some((one) => one.name === name));
    const options = {
      ...{ body: { features: others.map(({ name }) => name) }, parseAs: 'text' as const },
      params: { path: { projectId, environment: environment.name } },
    };
    const withQuery = (query: WriteQuery) => ({ ...options, params: { ...options.params, query } });
    return {
      verb: `Switch ${position}`,
      ...(left.length > 0 && { action: `Switch the others ${position}` }),
      count: others.length,
      bypass:
        isOn && mayBypass && environment.freeze
          ? { label: environment.displayName, freeze: environment.freeze }
          : undefined,
      where: ` in ${environment.displayName}`,
      caution: `${ownedText(left, selected.length)}${
        environment.protected
          ? `${environment.displayName} is a protected environment.`
          : 'If one of them is refused, none is switched.'
      }${killSwitchesOf(others)}`,
      send: (query) => {
        const sent = withQuery(query);
        return checked(isOn ? api.POST(`/api/admin${SWITCHES}/on`, sent) : api.POST(`/api/admin${SWITCHES}/off`, sent));
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
