/** The ways through which changes come. */
import { isKubectl } from '../../model/field-owner.ts';

/** `kubernetes`: the API server, for example by kubectl or a controller. */
export const channels = ['console', 'api', 'kubernetes', 'alert', 'time'] as const;
export type Channel = (typeof channels)[number];

/** What a search can ask for: the channels, the two parts of `kubernetes`, and changes whose channel is null. */
export const searchedWays = [...channels, 'kubectl', 'controller', 'unknown'] as const;
export type SearchedWay = (typeof searchedWays)[number];

type Way = Channel | 'kubectl' | 'controller';

export interface Origin {
  readonly channel: Channel | null;
  readonly fieldManager: string | null;
}

/** `kubernetes` is left for changes without a field manager. */
export function wayOf({ channel, fieldManager }: Origin): Way | null {
  if (channel !== 'kubernetes' || fieldManager === null) return channel;
  return fieldManager.split(' or ').every(isKubectl) ? 'kubectl' : 'controller';
}

/** The ways of the entries that a search finds; null: the way is not known. */
export function waysFoundBy(searched: SearchedWay): readonly (Way | null)[] {
  if (searched === 'unknown') return [null];
  return searched === 'kubernetes' ? ['kubernetes', 'kubectl', 'controller'] : [searched];
}
