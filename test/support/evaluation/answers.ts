/** The answers of SDKs for a flag and a context, by Vexil's evaluator and by that of the Node SDK. */

import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Context } from 'unleash-client';
import type { ClientPayload } from '../../../src/evaluation/client-document.ts';
import { type CompiledFlag, compileFlag } from '../../../src/evaluation/compile.ts';
import { readContext, type Situation } from '../../../src/evaluation/context.ts';
import { compileSegments } from '../../../src/evaluation/strategy.ts';
import type { ClientDocument } from '../../../src/wire/client/read-document.ts';

/** The evaluator of the SDK, without a connection to a server. The package exports only the whole SDK. */
const require = createRequire(import.meta.url);
const { default: NodeClient } =
  require('unleash-client/lib/client.js') as typeof import('unleash-client/lib/client.js');
const { defaultStrategies } =
  require('unleash-client/lib/strategy/index.js') as typeof import('unleash-client/lib/strategy/index.js');

/** The answer of `getVariant` of every SDK. */
export interface SdkVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: ClientPayload;
  readonly feature_enabled: boolean;
}

export interface Answer {
  readonly enabled: boolean;
  readonly variant: SdkVariant;
}

/** A context as SDKs accept it. */
export interface GivenContext {
  readonly [field: string]: string | object | undefined;
  readonly properties?: Readonly<Record<string, string | null>>;
}

/** Answers for the flag with that name. */
export type Evaluator = (flag: string, context: GivenContext) => Answer;

export function compileDocument({ features, segments }: ClientDocument): ReadonlyMap<string, CompiledFlag> {
  const compiled = compileSegments(segments);
  return new Map(features.map((feature) => [feature.name, compileFlag(feature, { segments: compiled })]));
}

export interface Chance {
  readonly now?: number;
  readonly random?: () => number;
}

export function aSituation(
  flags: ReadonlyMap<string, CompiledFlag>,
  given: GivenContext,
  { now = Date.UTC(2026, 10, 22), random = () => 0.5 }: Chance = {},
): Situation {
  return { context: readContext(given, now), random, flags, parents: new Map() };
}

export function vexil(document: ClientDocument, chance: Chance = {}): Evaluator {
  const flags = compileDocument(document);
  return (name, context) => {
    const result = flags.get(name)?.evaluate(aSituation(flags, context, chance));
    const { enabled = false, variant } = result ?? {};
    if (variant === undefined) return { enabled, variant: withoutVariant(enabled) };
    const { payload } = variant;
    return {
      enabled,
      variant: { name: variant.name, enabled: true, ...(payload && { payload }), feature_enabled: true },
    };
  };
}

function withoutVariant(feature_enabled: boolean): SdkVariant {
  return { name: 'disabled', enabled: false, feature_enabled };
}

export function nodeClient({ features, segments }: ClientDocument) {
  const [byName, byId] = [
    new Map(features.map((one) => [one.name, one])),
    new Map(segments.map((one) => [one.id, one])),
  ];
  const repository = Object.assign(new EventEmitter(), {
    getToggle: (name: string) => byName.get(name),
    getSegment: (id: number) => byId.get(id),
  });
  const client = new NodeClient(repository as never, defaultStrategies);
  return {
    isEnabled: (name: string, context: GivenContext) => client.isEnabled(name, context as Context, () => false),
    getVariant: (name: string, context: GivenContext) => client.getVariant(name, context as Context),
  };
}

export function nodeSdk(document: ClientDocument): Evaluator {
  const { isEnabled, getVariant } = nodeClient(document);
  return (name, context) => {
    const { featureEnabled: _, ...variant } = getVariant(name, context);
    return { enabled: isEnabled(name, context), variant: JSON.parse(JSON.stringify(variant)) as SdkVariant };
  };
}
