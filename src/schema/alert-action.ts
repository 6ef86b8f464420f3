/** The record of what alerts did to a flag: an annotation, written in the same patch as the change (ADR 58). */
import { z } from 'zod';
import { readJson } from '../model/json.ts';
import { ALERT_ACTIONS_KEY } from './stamp.ts';

/** The actions that an alert can request while it fires. */
export const alertActions = ['off', 'pause-ramp'] as const;
export type AlertActionName = (typeof alertActions)[number];

const alertAction = z.object({
  /** The action; `on` and `resume-ramp` undo the other two. */
  did: z.enum([...alertActions, 'on', 'resume-ramp']),
  environment: z.string(),
  /** The identity of the alert: a hash of its labels. */
  fingerprint: z.string(),
  /** When the alert began to fire, in RFC 3339 (UTC). */
  startsAt: z.iso.datetime(),
  /** The name of the alert. */
  alert: z.string(),
  /** The link to the alert; empty if it has none. */
  link: z.string(),
  /** The time of the action, in RFC 3339 (UTC). */
  at: z.iso.datetime(),
  /** The generation of the spec that the action resulted in. */
  generation: z.int(),
});
export type AlertAction = z.infer<typeof alertAction>;

/** The number of latest actions that are kept for one flag. */
export const MAX_ALERT_ACTIONS = 20;

/** The actions, the newest last. A text that cannot be read counts as none. */
export function alertActionsIn(annotations: Readonly<Record<string, string>> = {}): readonly AlertAction[] {
  const parsed = z.array(alertAction).safeParse(readJson(annotations[ALERT_ACTIONS_KEY] ?? '[]'));
  return parsed.success ? parsed.data : [];
}

/** The annotation with one more action. */
export function withAlertAction(
  annotations: Readonly<Record<string, string>> | undefined,
  action: AlertAction,
): Readonly<Record<string, string>> {
  const kept = [...alertActionsIn(annotations), action].slice(-MAX_ALERT_ACTIONS);
  return { [ALERT_ACTIONS_KEY]: JSON.stringify(kept) };
}
