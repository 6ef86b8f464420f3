/** Changes several flags of a project at once: all of them, or none. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../api.generated.ts';
import { api, checked } from '../../api.ts';
import { ConfirmDialog } from '../../dialog/confirm-dialog.tsx';
import { Options } from '../../select.tsx';
import { ConflictDialog } from '../../switch/conflict-dialog.tsx';
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

interface BulkQuery extends WriteQuery {
  readonly dryRun?: true;
}

interface BulkChange {
  readonly bypass?: Bypass | undefined;
  /** The text of the button. */
  readonly action: string;
  /** The change in words; `what` is such as "2 flags". */
  readonly inWords: (what: string) => string;
  readonly caution: string;
  readonly send: (features: string[], query: BulkQuery) => Promise<{ readonly response: Response }>;
}

const BASE = '/api/admin/projects/{projectId}';

export function BulkBar({ projectId, environments, selected, children, onDone }: BulkBarProps) {
  const { write, force, isPending, problem } = useWrite({
    what: 'selection',
    send: ({ change: { send }, features }: Tried, query: WriteQuery) => send([...features], query),
    onDone,
  });
  const trying = useMutation({ mutationFn: (change: BulkChange) => tried(change, selected) });
  const asked = trying.data;
  return (
    <section className="bulk" aria-label="Change the selected flags">
      <strong role="status">{flagsText(selected.length)} selected</strong>
      {children}
      <fieldset className="buttons" disabled={isPending || trying.isPending}>
        <SwitchButtons {...{ projectId, environments }} onAsk={trying.mutate} />
        <FlagButtons projectId={projectId} onAsk={trying.mutate} />
        <TagsButton {...{ projectId, selected }} onAsk={trying.mutate} />
        <button type="button" className="quiet" onClick={onDone}>
          Clear
        </button>
      </fieldset>
      {asked && (
        <Question
          asked={asked}
          selected={selected}
          onClose={trying.reset}
          onConfirm={(reason) => write(asked, reason)}
          onForce={(reason) => force(asked, reason)}
        />
      )}
      {trying.error && (
        <p role="alert" className="error message">
          {trying.error.message}
        </p>
      )}
      {problem}
    </section>
  );
}

/** A change after its dry run. */
interface Tried extends Trial {
  readonly change: BulkChange;
  /** The flags that a GitOps tool owns, which are left as they are. */
  readonly left: NonNullable<Schemas['Error']['ownedFlags']>;
  /** The names of the flags that change. */
  readonly features: readonly string[];
}

/** Leaves out the flags that GitOps tools own, unless they own all. */
async function tried(change: BulkChange, selected: readonly SelectedFlag[]): Promise<Tried> {
  const names = selected.map(({ name }) => name);
  const attempt = (features: string[]) => trialOf(() => change.send(features, { dryRun: true }));
  const all = await attempt(names);
  const left = all.refusal?.body?.ownedFlags ?? [];
  const features = names.filter((name) => !left.some((one) => one.name === name));
  if (left.length === 0 || features.length === 0) return { ...all, change, left: [], features: names };
  return { ...(await attempt(features)), change, left, features };
}

interface QuestionProps {
  readonly asked: Tried;
  readonly selected: readonly SelectedFlag[];
  readonly onClose: () => void;
  readonly onConfirm: (reason: string | undefined) => void;
  readonly onForce: (reason: string | undefined) => void;
}

function Question({ asked, selected, onClose, onConfirm, onForce }: QuestionProps) {
  const { change, left, features, refusal, warning } = asked;
  if (refusal?.body?.name === 'FieldManagedError') {
    return <ConflictDialog what="selection" error={refusal} {...{ onClose, onForce }} />;
  }
  const changed = selected.filter(({ name }) => features.includes(name));
  return (
    <ConfirmDialog
      question={`${change.inWords(flagsText(features.length))}?`}
      bypass={change.bypass}
      caution={`${leftText(left, selected.length)}${change.caution}${killSwitchesOf(changed)}`}
      action={left.length > 0 ? change.inWords('the others') : change.action}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {(refusal || warning !== undefined) && <p className="caution message">{refusal?.message ?? warning}</p>}
    </ConfirmDialog>
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
  readonly onAsk: (change: BulkChange) => void;
}

function FlagButtons({ projectId, onAsk }: Omit<ButtonsProps, 'selected'>) {
  const isAllowed = useAllowed(projectId);
  const path = { projectId };
  const mark = (stale: boolean): BulkChange => ({
    action: stale ? 'Mark as stale' : 'Mark as not stale',
    inWords: (what) => `Mark ${what} as ${stale ? 'stale' : 'not stale'}`,
    caution: 'The mark changes nothing for clients.',
    send: (features, query) =>
      checked(api.POST(`${BASE}/stale`, { params: { path, query }, body: { features, stale }, parseAs: 'text' })),
  });
  const archive: BulkChange = {
    action: 'Archive',
    inWords: (what) => `Archive ${what}`,
    caution: 'Archived flags are off everywhere. They can be revived.',
    send: (features, query) =>
      checked(api.POST(`${BASE}/archive`, { params: { path, query }, body: { features }, parseAs: 'text' })),
  };
  return (
    <>
      {isAllowed(BULK_ENDPOINTS.stale) &&
        [mark(true), mark(false)].map((change) => (
          <button key={change.action} type="button" onClick={() => onAsk(change)}>
            {change.action}
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
    const path = { projectId };
    onAsk({
      action: 'Change the tags',
      inWords: (what) => `Change the tags of ${what}`,
      caution: tagsSentence(tags),
      send: (features, query) =>
        checked(api.PUT(`${BASE}/tags`, { params: { path, query }, body: { features, tags }, parseAs: 'text' })),
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

function leftText(left: Tried['left'], count: number): string {
  if (left.length === 0) return '';
  const names = left.map(({ name }) => name).join(', ');
  const managers = [...new Set(left.flatMap((one) => one.managers))].join(', ') || 'Git';
  const [verb, rest] = left.length === 1 ? ['is', 'it is'] : ['are', 'they are'];
  return `${left.length} of ${flagsText(count)} (${names}) ${verb} owned by ${managers} and left as ${rest}: the page of the flag has the ways to change it. `;
}

function SwitchButtons({
  projectId,
  environments,
  onAsk,
}: Omit<ButtonsProps, 'selected'> & Pick<BulkBarProps, 'environments'>) {
  const [chosen, setChosen] = useState('');
  const environment = environments.find(({ name }) => name === chosen) ?? environments[0];
  const mayBypass = useAllowed(projectId, environment?.name)(BYPASS_FREEZE);
  if (!environment) return null;
  const { name, displayName, freeze, protected: isProtected } = environment;
  const change = (position: 'on' | 'off'): BulkChange => ({
    action: `Switch ${position}`,
    inWords: (what) => `Switch ${what} ${position} in ${displayName}`,
    bypass: position === 'on' && mayBypass && freeze ? { label: displayName, freeze } : undefined,
    caution: isProtected
      ? `${displayName} is a protected environment.`
      : 'If one of them is refused, none is switched.',
    send: (features, query) => {
      const params = { path: { projectId, environment: name }, query };
      const sent = { params, body: { features }, parseAs: 'text' as const };
      return checked(
        position === 'on' ? api.POST(`/api/admin${SWITCHES}/on`, sent) : api.POST(`/api/admin${SWITCHES}/off`, sent),
      );
    },
  });
  return (
    <>
      <select aria-label="Environment" value={environment.name} onChange={({ target }) => setChosen(target.value)}>
        <Options of={environments.map(({ name, displayName }) => [name, displayName])} />
      </select>
      {(['on', 'off'] as const).map((position) => (
        <button key={position} type="button" onClick={() => onAsk(change(position))}>
          Switch {position}
        </button>
      ))}
    </>
  );
}
