/** Which traces are kept, by the variables of OpenTelemetry. */
import { TraceFlags } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { EnvironmentVariables } from '../tracing.ts';

const ROOTS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
};
const PARENT_BASED = 'parentbased_';
const DEFAULT = 'parentbased_always_on';

export interface ChosenSampler {
  readonly sampler: Sampler;
  /** What to say about values that cannot be used. */
  readonly complaints: readonly string[];
}

export function samplerOf(env: EnvironmentVariables): ChosenSampler {
  const given = env['OTEL_TRACES_SAMPLER'] || DEFAULT;
  const isParentBased = given.startsWith(PARENT_BASED);
  const name = isParentBased ? given.slice(PARENT_BASED.length) : given;
  const make = Object.hasOwn(ROOTS, name) ? ROOTS[name] : undefined;
  if (make === undefined) {
    const complaint = `OTEL_TRACES_SAMPLER: ${DEFAULT} is used, as ${JSON.stringify(given)} is not known`;
    return { ...samplerOf({ ...env, OTEL_TRACES_SAMPLER: DEFAULT }), complaints: [complaint] };
  }
  const text = env['OTEL_TRACES_SAMPLER_ARG'] || '1';
  const ratio = ratioIn(text);
  const complaint = `OTEL_TRACES_SAMPLER_ARG: 1 is used, as ${JSON.stringify(text)} is no number from 0 to 1`;
  const root = make(ratio ?? 1);
  const sampler = isParentBased ? new ParentBasedSampler({ root }) : root;
  return {
    sampler: name === 'always_off' ? sampler : keepingLinked(sampler),
    complaints: ratio === undefined ? [complaint] : [],
  };
}

function ratioIn(text: string): number | undefined {
  const ratio = /^\s*[\d.]+\s*$/.test(text) ? Number(text) : Number.NaN;
  return ratio >= 0 && ratio <= 1 ? ratio : undefined;
}

/** A change is kept if the request that made it is: one without the other explains little. */
function keepingLinked(sampler: Sampler): Sampler {
  return {
    shouldSample(...asked) {
      const links = asked[5];
      const isLinked = links.some(({ context }) => (context.traceFlags & TraceFlags.SAMPLED) !== 0);
      return isLinked ? { decision: SamplingDecision.RECORD_AND_SAMPLED } : sampler.shouldSample(...asked);
    },
    toString: () => sampler.toString(),
  };
}
