/** Runs the real helm on the charts of this project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { projectTools } from '../../../scripts/tools/project-tools.ts';
import { type Finished, runProgram } from '../../../scripts/tools/run-program.ts';
import type { Stored } from '../stored.ts';

const CHARTS = fileURLToPath(new URL('../../../charts', import.meta.url));

/** Values in the form of values.yaml. */
export type Values = Readonly<Record<string, unknown>>;

export type ChartName = 'vexil' | 'vexil-edge';

export interface Helm {
  /** Runs helm, with values of the chart if there are any. */
  run(args: readonly string[], values?: Values): Promise<Finished>;
  /** Returns the output of helm; throws with its error message if it fails. */
  runOrThrow(args: readonly string[], values?: Values): Promise<string>;
  /** The objects that the chart renders for the values, including those of hooks. */
  template(values: Values, options?: TemplateOptions): Promise<readonly Stored[]>;
  /** The folder of the operator's chart. */
  readonly chart: string;
  /** Removes the files of helm. */
  end(): Promise<void>;
}

export interface TemplateOptions {
  readonly chart?: ChartName;
  /** By default, the name of the chart. */
  readonly release?: string;
  readonly namespace?: string;
  /** API versions in addition to the defaults of helm: `monitoring.coreos.com/v1`. */
  readonly apiVersions?: readonly string[];
  readonly kubeVersion?: string;
}

/** Finds helm, or builds it. It reads and writes nothing in the home directory. */
export async function projectHelm(kubeconfig = '/dev/null'): Promise<Helm> {
  const { helm } = await projectTools();
  const folder = await mkdtemp(join(tmpdir(), 'vexil-helm-'));
  const environment = {
    ...{ HELM_CACHE_HOME: join(folder, 'cache'), HELM_CONFIG_HOME: join(folder, 'config') },
    ...{ HELM_DATA_HOME: join(folder, 'data'), HELM_PLUGINS: join(folder, 'plugins'), KUBECONFIG: kubeconfig },
    // helm ends after some tenths of a second, as kubectl does.
    ...{ GOGC: 'off', GOMEMLIMIT: '512MiB' },
  };
  const run: Helm['run'] = (args, values) =>
    values === undefined
      ? runProgram(helm, args, { environment })
      : runProgram(helm, [...args, '--values', '-'], { environment, input: stringify(values) });
  const runOrThrow: Helm['runOrThrow'] = async (args, values) => {
    const { code, stdout, stderr } = await run(args, values);
    if (code !== 0) throw new Error(`helm ${args.join(' ')} failed with ${code}:\n${stderr}`);
    return stdout;
  };
  return {
    run,
    runOrThrow,
    chart: chartFolder('vexil'),
    async template(values, options) {
      return manifestsIn(await runOrThrow(templateArgs(options), values));
    },
    end: () => rm(folder, { recursive: true, force: true }),
  };
}

export const chartFolder = (chart: ChartName): string => join(CHARTS, chart);

/** The arguments for `run`, for values that the chart must refuse. */
export function templateArgs(options: TemplateOptions = {}): readonly string[] {
  const { chart = 'vexil', release = chart, namespace = 'vexil-system', apiVersions = [], kubeVersion } = options;
  return [
    ...['template', release, chartFolder(chart), '--namespace', namespace],
    ...apiVersions.flatMap((version) => ['--api-versions', version]),
    ...(kubeVersion === undefined ? [] : ['--kube-version', kubeVersion]),
  ];
}

/** The objects of a text with several documents. */
export function manifestsIn(text: string): readonly Stored[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
}
