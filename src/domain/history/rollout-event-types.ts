/** The types of audit events about changes of a rollout: windows, ramps, freezes, alerts. */
import { changed, type EventType } from './event-type.ts';

export const rolloutEventTypes = {
  'feature-window-updated': {
    note: ({ flag, forEnvironment }) => `The window of flag ${flag} was changed ${forEnvironment}`,
    label: 'Flag window updated',
    summary: ({ flag, inProject, forEnvironment }) => `changed the window of ${flag}${forEnvironment}${inProject}`,
    when: '`activeFrom` or `activeUntil` changed, or a new flag has one of them.',
    about: 'flagThere',
    ...changed('`{activeFrom, activeUntil}`'),
  },
  'feature-window-opened': {
    note: ({ flag, forEnvironment }) => `The window of flag ${flag} opened ${forEnvironment}, as planned`,
    label: 'Flag window opened',
    summary: ({ flag, inProject, forEnvironment }) => `opened the window of ${flag}${forEnvironment}${inProject}`,
    when: 'The time is `activeFrom` of an environment where the flag is switched on. The author is that of the spec; `createdAt` is the time itself.',
    about: 'flagThere',
    data: '`{at}`',
  },
  'feature-window-closed': {
    note: ({ flag, forEnvironment }) => `The window of flag ${flag} closed ${forEnvironment}, as planned`,
    label: 'Flag window closed',
    summary: ({ flag, inProject, forEnvironment }) => `closed the window of ${flag}${forEnvironment}${inProject}`,
    when: 'The time is `activeUntil` of such an environment.',
    about: 'flagThere',
    data: '`{at}`',
  },
  'feature-ramp-step': {
    note: ({ flag, forEnvironment, named }) =>
      `A ramp of flag ${flag} reached ${named('rollout')} % ${forEnvironment}, as planned`,
    label: 'Flag ramp step',
    summary: ({ flag, inProject, forEnvironment }) => `moved a ramp of ${flag}${forEnvironment}${inProject}`,
    when: 'A step of a ramp begins in an environment where the flag is switched on. The author is that of the spec; `createdAt` is the beginning of the step.',
    about: 'flagThere',
    data: '`{at, strategyId, step, steps, rollout}`',
  },
  'environment-freeze-began': {
    note: ({ environment, named }) => `The freeze ${named('name')} of environment ${environment} began, as planned`,
    when: 'A freeze of an Environment begins. The author is that of the spec; `createdAt` is the time itself.',
    about: 'environment',
    data: '`{at, name, reason}`',
  },
  'environment-freeze-ended': {
    note: ({ environment, named }) => `The freeze ${named('name')} of environment ${environment} ended, as planned`,
    when: 'A freeze of an Environment ends by itself. Freezes that are removed are an `environment-updated`.',
    about: 'environment',
    data: '`{at, name, reason}`',
  },
  'feature-freeze-bypassed': {
    note: ({ flag, environment, named }) =>
      `Flag ${flag} was changed in ${environment} during the freeze ${named('name')}, by bypass`,
    label: 'Freeze bypassed',
    summary: ({ flag, inProject, forEnvironment }) =>
      `bypassed a freeze with a change of ${flag}${forEnvironment}${inProject}`,
    when: 'A change through the admin API bypassed a freeze. The change itself is the event before, in the same step.',
    about: 'flagThere',
    data: '`{name, until, reason}`',
  },
  'feature-alert-action': {
    note: ({ flag, environment, named }) =>
      `Alert ${named('alert')} acted on flag ${flag} in ${environment} (${named('action')})`,
    label: 'Flag changed by an alert',
    summary: ({ flag, inProject, forEnvironment, alert }) =>
      `let alert ${alert} act on ${flag}${forEnvironment}${inProject}`,
    when: 'An alert changed the flag. The change itself is the event before, in the same step. The author is the owner of the token that Alertmanager uses.',
    about: 'flagThere',
    data: '`{alert, link, action, fingerprint, startsAt}`',
  },
} as const satisfies Readonly<Record<string, EventType>>;
