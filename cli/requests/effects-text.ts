/** What users get before and after a change, as text. */
import type { z } from 'zod';
import { environmentOf } from '../../src/domain/flag/flag-values.ts';
import { shareOf } from '../../src/domain/flag/share.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import type { FlagInEffect } from '../../src/wire/client/feature.ts';
import type {
  EnvironmentEffects,
  FlagEffects,
  RequestEffects,
  wireChangeEffects,
} from '../../src/wire/playground/change-effects.ts';
import { plural } from '../plural.ts';

interface ShownEffects {
  readonly effects: RequestEffects;
  readonly shown: z.infer<typeof wireChangeEffects>;
}

type EffectsInEnvironment = ShownEffects['shown']['environments'][number];

export function effectsText({ effects, shown }: ShownEffects): string {
  const { at, times, dependents, environments, segment } = shown;
  const ofFlag = ({ flag, effects: all }: FlagEffects, index: number) =>
    all.flatMap((one, place) => {
      const shownThere = (segment ? segment.flags[index]?.environments : environments)?.[place];
      return linesIn(one, shownThere, segment ? `${wireNameOf(flag)} in ` : '');
    });
  const { usedBy = 0, otherFlags = [] } = segment ?? {};
  const lines = [
    ...(segment ? [`${plural(usedBy, 'flag')} ${usedBy === 1 ? 'uses' : 'use'} the segment`] : []),
    ...effects.flags.flatMap(ofFlag),
    ...(otherFlags.length > 0 ? [`not evaluated: ${otherFlags.join(', ')}`] : []),
    ...(times.length > 0
      ? [`for ${at ?? 'now'}; windows and ramps change it later, see --at: ${times.join(', ')}`]
      : []),
    ...(dependents.length > 0 ? [`these flags depend on it, and may change too: ${dependents.join(', ')}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function linesIn(
  { environment, before, after }: EnvironmentEffects,
  shown: EffectsInEnvironment | undefined,
  what: string,
): readonly string[] {
  const { groups = [], moreGroups = 0, notReached = 0, contexts = 0 } = shown ?? {};
  const lines = [
    `before: ${audienceOf(before, environment)}`,
    `after: ${audienceOf(after, environment)}`,
    ...(groups.length === 0 ? ['the users that were tried get the same as before'] : []),
    ...groups.map((group) => groupLine(group, contexts)),
    ...(moreGroups > 0 ? [`${plural(moreGroups, 'more group')} of users`] : []),
    ...(notReached > 0 ? [`no user that was tried reaches ${notReached} of the strategies and variants`] : []),
  ];
  return [`${what}${environment}`, ...lines.map((line) => `  ${line}`)];
}

function audienceOf({ flag, effect }: FlagInEffect, environment: string): string {
  if (!effect.enabledIn.has(environment)) return 'off';
  const moment = { at: effect.at, pauses: effect.pausesIn(environment) };
  const { percent, targeted } = shareOf(environmentOf(flag.spec, environment), moment);
  if (percent === 100) return 'on for everyone';
  if (percent === 0) return targeted ? 'on for some users by their properties' : 'on for nobody';
  return `on for ${percent} % of users${targeted ? ', and some by their properties' : ''}`;
}

function groupLine(
  { contexts, count, byChance, before, after }: EffectsInEnvironment['groups'][number],
  all: number,
): string {
  const users = contexts.map(userText).filter((text) => text !== '');
  const who = count === all ? 'every user' : users.length === 0 ? 'other users' : users.join('; ');
  return `${who}: ${resultText(before)} -> ${resultText(after)}${byChance ? ', by chance' : ''}`;
}

function userText(context: Readonly<Record<string, string>>): string {
  return Object.entries(context)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function resultText({ enabled, variant, strategy }: EffectsInEnvironment['groups'][number]['before']): string {
  if (!enabled) return 'off';
  const by = strategy === null ? '' : ` (strategy ${strategy})`;
  const payload = variant === null || variant.payload === null ? '' : ` with ${variant.payload}`;
  return `on${by}${variant === null ? '' : `, variant ${variant.name}${payload}`}`;
}
