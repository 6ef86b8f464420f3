/** The record of what alerts did to a flag: an annotation, written in the same patch as the change (ADR 58). */
import { z } from 'zod';
import { ALERT_ACTIONS_KEY } from './stamp.ts';

/** What an alert can ask for while it fires. */
export const alertActions = ['off', 'pause-ramp'] as const;
export type AlertActionName = (typeof alertActions)[number];

const alertAction = z.object({
  /** What was done; `on` and `resume-ramp` undo the other two. */
  did: z.enum([...alertActions, 'on', 'resume-ramp']),
  environment: z.string(),
  /** The identity of the alert: a hash of its labels. */
  fingerprint: z.string(),
  /** When the alert began to fire, in RFC 3339 (UTC). */
  startsAt: z.iso.datetime(),
  /** The name of the alert. */
  alert: z.string(),
  /** To the alert; empty: it has none. */
  link: z.string(),
  /** When it was done, in RFC 3339 (UTC). */
  at: z.iso.datetime(),
  /** The generation of the spec that it made. */
  generation: z.int(),
});
export type AlertAction = z.infer<typeof alertAction>;

/** The last that are kept for one flag. */
export const MAX_ALERT_ACTIONS = 20;

/** The newest last. A text that cannot be read counts as none. */
export function alertActionsIn(annotations: Readonly<Record<string, string>> = {}): readonly AlertAction[] {
  const parsed = z.array(alertAction).safeParse(readJson(annotations[ALERT_ACTIONS_KEY] ?? '[]'));
  return parsed.success ? parsed.data : [];
}

/** The annotation with one more. */
export function withAlertAction(
  annotations: Readonly<Record<string, string>> | undefined,
  action: AlertAction,
): Readonly<Record<string, string>> {
  const kept = [...alertActionsIn(annotations), action].slice(-MAX_ALERT_ACTIONS);
  return { [ALERT_ACTIONS_KEY]: JSON.stringify(kept) };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
