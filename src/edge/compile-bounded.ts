/** Flags of an upstream that bounds no work, made ready for evaluation: one that would take too long is off. */
import type { Make } from '../delivery/flags-in-environment.ts';
import { MAX_EVALUATION_WORK, workOfRules } from '../domain/flag/judge/evaluation-work.ts';
import { type CompiledFlag, compileFlag } from '../evaluation/compile.ts';
import { compileSegments } from '../evaluation/strategy.ts';
import type { Logger } from '../telemetry/logger.ts';

export function compileBounded(logger: Logger): Make<CompiledFlag> {
  return (feature, segments) => {
    const { name: flag, strategies, variants } = feature;
    const byId = new Map(segments.map(({ id, constraints }) => [id, constraints]));
    const work = workOfRules({ strategies, variants, inSegment: (id: number) => byId.get(id) ?? [] });
    if (work > MAX_EVALUATION_WORK) {
      const facts = { flag, project: feature.project, work, allowed: MAX_EVALUATION_WORK };
      logger.warn(facts, 'flags: an evaluation takes too much work, the flag is off');
    }
    return compileFlag(feature, {
      segments: compileSegments(segments),
      budget: { work, max: MAX_EVALUATION_WORK },
    });
  };
}
