/** The change that an alert makes in the spec of a flag, which records each alert that acted on it (ADR 58). */

import { Refusal } from '../../errors.ts';
import { timeText } from '../../model/clock.ts';
import { type AlertAction, type AlertActionName, alertActionsIn } from '../../schema/alert-action.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { EditPlace } from '../flag/edit/edit-place.ts';
import { changeRamp } from '../flag/edit/edit-ramp.ts';
import { strategiesIn } from '../flag/edit/edit-strategies.ts';
import { disableIn, enableIn } from '../flag/edit/switch.ts';
import type { KeyedStrategy } from '../flag/flag-values.ts';
import { gainSentence, isGaining } from '../flag/gaining-children.ts';
import { pausesIn } from '../flag/moments.ts';
import { rampAt } from '../flag/ramp.ts';

export interface Alert {
  readonly name: string;
  /** Empty if the alert has no link. */
  readonly link: string;
  readonly fingerprint: string;
  /** Ms since 1970. */
  readonly startsAt: number;
  readonly state: 'firing' | 'resolved';
  readonly action: AlertActionName;
  /** Whether the end of the alert undoes its action. */
  readonly resumes: boolean;
}

/** An alert with the flag that it asks to change. */
export interface AlertRequest extends Alert {
  /** The name on the wire. */
  readonly flag: string;
  /** The name on the wire. */
  readonly environment: string;
  /** Undefined: the project of the flag. */
  readonly project: string | undefined;
}

export interface AlertEdit {
  /** The same object as the present spec if nothing is to be written. */
  readonly spec: FlagSpec;
  readonly outcome: 'done' | 'already' | 'ignored';
  /** A sentence. */
  readonly reason: string;
  /** Undefined if nothing was done. */
  readonly action: AlertAction | undefined;
}

export interface AlertPlace extends EditPlace {
  /** The flags that depend on the flag and are on in the environment. */
  readonly childrenOn: readonly FeatureFlag[];
  /** Ms since 1970. */
  readonly now: number;
}

/** The limit for one flag, over all alerts: an alert that comes and goes must not switch a flag back and forth. */
export const MAX_RESUMES_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

/** Throws if the flag cannot be changed in this way. */
export function actOnAlert(flag: FeatureFlag, alert: Alert, place: AlertPlace): AlertEdit {
  return alert.state === 'firing' ? actOnFiring(flag, alert, place) : actOnResolved(flag, alert, place);
}

function actOnFiring(flag: FeatureFlag, alert: Alert, place: AlertPlace): AlertEdit {
  const before = actionsOf(flag, alert, place).findLast(
    ({ did, startsAt }) => did === alert.action && Date.parse(startsAt) >= alert.startsAt,
  );
  if (before) return nothing(flag, 'already', `The alert has acted on the flag at ${before.at}.`);
  return alert.action === 'off' ? switchOff(flag, alert, place) : pauseRamps(flag, alert, place);
}

function switchOff(flag: FeatureFlag, alert: Alert, place: AlertPlace): AlertEdit {
  const spec = disableIn(flag, place);
  if (spec === flag.spec) return nothing(flag, 'already', 'The flag is off.');
  const gaining = place.childrenOn.filter((child) => isGaining(child, flag, 'off'));
  if (gaining.length > 0) throw new Refusal('operation-denied', `${gainSentence(gaining)} Alerts switch nothing on.`);
  return done(flag, { alert, place, did: 'off', spec, reason: 'The flag is switched off.' });
}

function pauseRamps(flag: FeatureFlag, alert: Alert, place: AlertPlace): AlertEdit {
  const moment = { at: place.now, pauses: pausesIn(place.flagContext.everyEnvironment)(place.environment) };
  const states = strategiesIn(flag, place).flatMap(({ key, strategy: { ramp, disabled } }) =>
    ramp && !disabled ? [{ key, state: rampAt(ramp, moment).state }] : [],
  );
  const running = states.filter(({ state }) => state === 'Running' || state === 'Scheduled');
  if (running.length > 0) {
    const spec = changeRamps(flag, running, { place, action: 'pause' });
    return done(flag, { alert, place, did: 'pause-ramp', spec, reason: `${count(running)} paused.` });
  }
  const isPaused = states.some(({ state }) => state === 'Paused');
  return isPaused
    ? nothing(flag, 'already', 'The ramp is paused.')
    : nothing(flag, 'ignored', 'No ramp of the flag is running.');
}

function actOnResolved(flag: FeatureFlag, alert: Alert, place: AlertPlace): AlertEdit {
  if (!alert.resumes)
    return nothing(flag, 'ignored', 'A resolved alert does nothing without vexil_on_resolved: resume.');
  const undo = alert.action === 'off' ? 'on' : 'resume-ramp';
  const last = actionsOf(flag, alert, place).findLast(({ did }) => did === alert.action || did === undo);
  if (last === undefined || Date.parse(last.startsAt) > alert.startsAt) {
    return nothing(flag, 'ignored', 'The alert has not acted on the flag.');
  }
  if (last.did === undo) return nothing(flag, 'already', `The end of the alert has acted on the flag at ${last.at}.`);
  const resumed = undo === 'on' ? switchOn(flag, { alert, place, last }) : resumeRamps(flag, { alert, place, last });
  if (resumed.outcome === 'done') refuseManyResumes(flag, place.now);
  return resumed;
}

interface Resume {
  readonly alert: Alert;
  readonly place: AlertPlace;
  /** The last action of the alert. */
  readonly last: AlertAction;
}

function switchOn(flag: FeatureFlag, { alert, place, last }: Resume): AlertEdit {
  if (!isByAlertsSince(flag, last)) {
    return nothing(flag, 'ignored', 'The flag has been changed since the alert switched it off.');
  }
  const spec = enableIn(flag, place);
  if (spec === flag.spec) return nothing(flag, 'already', 'The flag is on.');
  return done(flag, { alert, place, did: 'on', spec, reason: 'The flag is switched on again.' });
}

/** Resumes the ramps that the alert has paused, and that were not resumed since. */
function resumeRamps(flag: FeatureFlag, { alert, place, last }: Resume): AlertEdit {
  const paused = strategiesIn(flag, place).filter(
    ({ strategy: { ramp, disabled } }) => ramp?.pausedAt === last.at && !disabled,
  );
  if (paused.length === 0) {
    return nothing(flag, 'ignored', 'The ramp has been resumed or paused again since the alert paused it.');
  }
  const spec = changeRamps(flag, paused, { place, action: 'resume' });
  return done(flag, { alert, place, did: 'resume-ramp', spec, reason: `${count(paused)} resumed.` });
}

function changeRamps(
  flag: FeatureFlag,
  ramps: readonly Pick<KeyedStrategy, 'key'>[],
  { place, action }: { readonly place: AlertPlace; readonly action: 'pause' | 'resume' },
): FlagSpec {
  return ramps.reduce(
    (spec, { key }) => changeRamp({ ...flag, spec }, { ...place, strategyId: key }, { action, now: place.now }),
    flag.spec,
  );
}

/** The actions of this alert in this environment. */
function actionsOf(
  { metadata }: FeatureFlag,
  { fingerprint }: Alert,
  { environment }: AlertPlace,
): readonly AlertAction[] {
  return alertActionsIn(metadata.annotations).filter(
    (one) => one.fingerprint === fingerprint && one.environment === environment,
  );
}

/** Whether only alerts have changed the spec since then: each generation is one of theirs. */
function isByAlertsSince({ metadata }: FeatureFlag, { generation }: AlertAction): boolean {
  const own = new Set(alertActionsIn(metadata.annotations).map((one) => one.generation));
  const since = metadata.generation - generation;
  return (
    since >= 0 &&
    since <= own.size &&
    Array.from({ length: since + 1 }, (_, n) => generation + n).every((one) => own.has(one))
  );
}

function refuseManyResumes({ metadata }: FeatureFlag, now: number): void {
  const resumes = alertActionsIn(metadata.annotations).filter(
    ({ did, at }) => (did === 'on' || did === 'resume-ramp') && Date.parse(at) > now - HOUR_MS,
  );
  if (resumes.length < MAX_RESUMES_PER_HOUR) return;
  const message = `The end of alerts has resumed this flag ${resumes.length} times in an hour, so it stays as it is. Find out why the alert comes and goes, and switch the flag yourself.`;
  throw new Refusal('rate-limited', message);
}

interface Operation {
  readonly alert: Alert;
  readonly place: AlertPlace;
  readonly did: AlertAction['did'];
  readonly spec: FlagSpec;
  readonly reason: string;
}

function done({ metadata }: FeatureFlag, { alert, place, did, spec, reason }: Operation): AlertEdit {
  const action: AlertAction = {
    did,
    environment: place.environment,
    fingerprint: alert.fingerprint,
    startsAt: timeText(alert.startsAt),
    alert: alert.name,
    link: alert.link,
    at: timeText(place.now),
    generation: metadata.generation + 1,
  };
  return { spec, outcome: 'done', reason, action };
}

function nothing({ spec }: FeatureFlag, outcome: AlertEdit['outcome'], reason: string): AlertEdit {
  return { spec, outcome, reason, action: undefined };
}

function count({ length }: readonly unknown[]): string {
  return length === 1 ? 'One ramp is' : `${length} ramps are`;
}
