/** Imports files of another product, and evaluates the flags that were written, as lint and the operator do. */
import { createEvaluator } from '../../cli/evaluate/evaluator.ts';
import { importFiles } from '../../cli/import/import-file.ts';
import { lint } from '../../cli/lint/lint.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

export interface ImportedFlags {
  /** The manifests by their paths below the namespace. */
  readonly files: ReadonlyMap<string, string>;
  /** What is left out or different, as `PATH: ADVICE`. */
  readonly unmapped: readonly string[];
  /** The variant of a flag, or whether it is on if it has no variants. */
  readonly valueOf: (flag: string, context?: Readonly<Record<string, unknown>>, more?: When) => string | boolean;
}

interface When {
  readonly environment?: string;
  readonly at?: string;
}

/** Throws if lint finds anything in what is written. */
export async function importedFlags(...texts: readonly string[]): Promise<ImportedFlags> {
  const { files, unmapped } = await importFiles({
    sources: texts.map((text, index) => ({ file: `given-${index}`, text })),
    ...{ environment: 'production', project: undefined, namespace: 'shop', operatorNamespace: 'shop' },
    ...{ context: [], now: NOW, replacing: undefined },
  });
  const sources = files.map(({ path, text }) => ({ file: path, text }));
  const { findings, cluster } = await lint({ sources, context: [], namespace: 'shop', now: NOW });
  if (findings.length > 0) throw new Error(JSON.stringify(findings, null, 2));
  const { evaluate } = createEvaluator(cluster, () => 0.5);
  return {
    files: new Map(files.map(({ path, text }) => [path.replace('shop/', ''), text])),
    unmapped: unmapped.map(({ path, advice }) => `${path}: ${advice}`),
    valueOf: (flag, context = {}, { environment = 'production', at } = {}) => {
      const time = at === undefined ? NOW : Date.parse(at);
      const { enabled, variant } = evaluate({ flag, environment, context, at: time }).explanation;
      return enabled && variant ? variant.name : enabled;
    },
  };
}
