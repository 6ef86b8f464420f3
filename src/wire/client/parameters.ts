/** The parameters of a strategy as SDKs read them: as texts, including all that an SDK needs. */
import { itemsOf } from '../../domain/flag/list-parameters.ts';
import { parameterText, type Strategy } from '../../schema/strategy.ts';

type Parameters = Readonly<Record<string, string>>;

/** Percentages: SDKs count whole ones only, and Yggdrasil switches the flag off for any other. */
const PERCENTAGES = ['rollout', 'percentage'];

/** The values for absent parameters of a strategy. */
export interface StickyDefaults {
  /** The name of the flag. */
  readonly groupId: string;
  /** The stickiness of the strategy's variants; undefined if it has none. */
  readonly stickiness: string | undefined;
}

/** The strategy must be one that SDKs can be sent. */
export function presentParameters(strategy: Strategy, sticky: StickyDefaults): Parameters {
  const defaults = defaultsOf(strategy.name, sticky);
  const given = Object.entries(strategy.parameters ?? {})
    .filter(([name, value]) => value !== null || !Object.hasOwn(defaults, name))
    .map(([name, value]) => [name, textOf(name, value)]);
  const parameters: Parameters = { ...defaults, ...Object.fromEntries(given) };
  return parameters['stickiness'] === '' ? { ...parameters, stickiness: 'default' } : parameters;
}

/** Without these, SDKs select different users, or fail. An absent rollout selects no user. */
function defaultsOf(type: string, { groupId, stickiness }: StickyDefaults): Parameters {
  if (type === 'flexibleRollout') return { rollout: '0', groupId, stickiness: 'default' };
  if (type.startsWith('gradualRollout')) return { percentage: '0', groupId, stickiness: stickiness ?? 'default' };
  return stickiness === undefined ? {} : { groupId, stickiness };
}

function textOf(name: string, value: unknown): string {
  const items = itemsOf(name, value);
  if (items) return items.served.join(',');
  return PERCENTAGES.includes(name) ? wholePercentage(value) : parameterText(value);
}

function wholePercentage(value: unknown): string {
  const number = Math.floor(Number(parameterText(value)));
  return `${Math.min(100, Math.max(0, Number.isFinite(number) ? number : 0))}`;
}
