/** The strategy types that flags can use: built-in and defined ones. */
import type { Strategy } from '../../schema/strategy.ts';
import {
  builtInStrategyNames,
  type ParameterType,
  type StrategyDefinition,
  type StrategyDefinitionSpec,
} from '../../schema/strategy-definition.ts';
import { compareText, wireNameOf } from '../identity/names.ts';

export interface StrategyParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly description: string;
  readonly required: boolean;
}

export interface StrategyType {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** Whether the type is built in: then it cannot be changed, and requires no parameters. */
  readonly builtIn: boolean;
  readonly parameters: readonly StrategyParameter[];
}

type BuiltIn = (typeof builtInStrategyNames)[number];
type Description = Omit<StrategyType, 'name' | 'builtIn' | 'deprecated'> & { readonly deprecated?: boolean };

const needed = (name: string, type: ParameterType, description: string): StrategyParameter => {
  return { name, type, description, required: true };
};
const optional = (name: string, type: ParameterType, description: string): StrategyParameter => {
  return { name, type, description, required: false };
};

/** The types of Unleash 4 for a single field, which flexibleRollout replaces. */
const gradual = (displayName: string, by: string): Description => {
  const group =
    by === 'chance' ? [] : [needed('groupId', 'string', 'Flags with the same group choose the same users.')];
  return {
    displayName,
    description: `On for a share of all users, by ${by}. Use flexibleRollout instead.`,
    deprecated: true,
    parameters: [optional('percentage', 'percentage', 'The share in percent.'), ...group],
  };
};

/** The built-in types of Unleash (docs/unleash-compatibility.md#strategies). */
const descriptions: Readonly<Record<BuiltIn, Description>> = {
  default: { displayName: 'Standard', description: 'On for everyone.', parameters: [] },
  flexibleRollout: {
    displayName: 'Gradual rollout',
    description: 'On for a share of all users, who keep their side as long as the share does not change.',
    parameters: [
      optional('rollout', 'percentage', 'The share in percent.'),
      needed('stickiness', 'string', 'The context field that decides; default: userId, else sessionId, else chance.'),
      needed('groupId', 'string', 'Flags with the same group choose the same users.'),
    ],
  },
  userWithId: {
    displayName: 'UserIDs',
    description: 'On for the users that are listed.',
    deprecated: true,
    parameters: [optional('userIds', 'list', 'The ids of the users.')],
  },
  remoteAddress: {
    displayName: 'IPs',
    description: 'On for clients that call from the addresses that are listed.',
    parameters: [needed('IPs', 'list', 'Addresses, or ranges as 10.0.0.0/8.')],
  },
  applicationHostname: {
    displayName: 'Hosts',
    description: 'On for applications that run on the hosts that are listed.',
    parameters: [optional('hostNames', 'list', 'The names of the hosts.')],
  },
  gradualRolloutUserId: gradual('Gradual rollout by user', 'userId'),
  gradualRolloutSessionId: gradual('Gradual rollout by session', 'sessionId'),
  gradualRolloutRandom: gradual('Gradual rollout by chance', 'chance'),
};

const builtInTypes: readonly StrategyType[] = builtInStrategyNames.map((name) => {
  return { name, deprecated: false, builtIn: true, ...descriptions[name] };
});

const builtInNames: ReadonlySet<string> = new Set(builtInStrategyNames);

export function isBuiltIn(name: string): boolean {
  return builtInNames.has(name);
}

/** The types by name: the built-in ones first, then the defined ones in the order of their names. */
export function strategyTypesOf(definitions: readonly StrategyDefinition[]): ReadonlyMap<string, StrategyType> {
  const defined = definitions.map(strategyTypeOf).sort((a, b) => compareText(a.name, b.name));
  const types = [...builtInTypes, ...defined.filter(({ name }) => !isBuiltIn(name))];
  return new Map(types.map((type) => [type.name, type]));
}

/** The type that a definition defines, with defaults. */
export function strategyTypeOf(definition: StrategyDefinition): StrategyType {
  const { displayName, description, deprecated, parameters } = definition.spec;
  const name = wireNameOf(definition);
  return {
    name,
    displayName: displayName ?? name,
    description: description ?? '',
    deprecated: deprecated ?? false,
    builtIn: false,
    parameters: (parameters ?? []).map(parameterOf),
  };
}

type Defined = NonNullable<StrategyDefinitionSpec['parameters']>[number];

/** A parameter with defaults. */
export function parameterOf({ name, type = 'string', description = '', required = false }: Defined): StrategyParameter {
  return { name, type, description, required };
}

/** Bounds the length of messages. */
const MAX_LISTED = 50;

/** The names of the types, for messages. */
export function listStrategyTypes(types: ReadonlyMap<string, StrategyType>): string {
  const names = [...types.keys()].sort();
  const more = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The names of required parameters that are absent, null or empty; built-in types require none. */
export function missingParameters(type: StrategyType, parameters: Strategy['parameters']): readonly string[] {
  if (type.builtIn) return [];
  return type.parameters
    .filter(({ name, required }) => required && !hasValue(parameters, name))
    .map(({ name }) => name);
}

function hasValue(parameters: Strategy['parameters'], name: string): boolean {
  if (!parameters || !Object.hasOwn(parameters, name)) return false;
  const value = parameters[name];
  return value !== undefined && value !== null && value !== '';
}
