/** `vexil evaluate`: prints the values of flags for a context, with reasons. */
import { jsonText, type Terminal } from '../terminal.ts';
import { timeOf } from '../time.ts';
import { createEvaluator } from './evaluator.ts';
import { loadManifests } from './load-manifests.ts';
import { evaluationText, present } from './report.ts';

export interface EvaluateOptions {
  readonly filename: readonly string[];
  readonly context?: Readonly<Record<string, string>>;
  readonly env?: readonly string[];
  readonly flag?: readonly string[];
  readonly at?: string;
  readonly namespace: string;
  readonly output: 'text' | 'json';
}

export async function runEvaluate(options: EvaluateOptions, terminal: Terminal): Promise<void> {
  const { filename: paths, namespace, context = {}, output } = options;
  const at = timeOf(options.at, terminal.now());
  const cluster = await loadManifests({ paths, namespace }, terminal);
  const { flags, environmentsOf, evaluate } = createEvaluator(cluster, Math.random);
  const evaluations = (options.flag ?? flags).flatMap((flag) =>
    (options.env ?? environmentsOf(flag)).map((environment) =>
      present(evaluate({ flag, environment, context, at }), context),
    ),
  );
  if (output === 'json') terminal.write(jsonText(evaluations));
  else for (const evaluation of evaluations) terminal.write(evaluationText(evaluation));
}
