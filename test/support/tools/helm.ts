/** Runs the real helm on the chart of this project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';
import { type Finished, runProgram } from '../control-plane/run-program.ts';
import type { Stored } from '../stored.ts';
import { projectTools } from './project-tools.ts';

const CHART = fileURLToPath(new URL('../../../charts/vexil', import.meta.url));

/** As in values.yaml. */
export type Values = Readonly<Record<string, unknown>>;

export interface Helm {
  /** Runs helm with values of the chart, if there are any. */
  run(args: readonly string[], values?: Values): Promise<Finished>;
  /** Answers what helm printed; throws with its complaint if it fails. */
  runOrThrow(args: readonly string[], values?: Values): Promise<string>;
  /** The objects that the chart makes of values, those of hooks included. */
  template(values: Values, options?: TemplateOptions): Promise<readonly Stored[]>;
  readonly chart: string;
  /** Removes what helm has kept. */
  end(): Promise<void>;
}

export interface TemplateOptions {
  readonly release?: string;
  readonly namespace?: string;
  /** Beside those that helm takes for granted: `monitoring.coreos.com/v1`. */
  readonly apiVersions?: readonly string[];
  readonly kubeVersion?: string;
}

/** Finds helm, building it if need be; it reads and writes nothing of the home directory. */
export async function projectHelm(kubeconfig = '/dev/null'): Promise<Helm> {
  const { helm } = await projectTools();
  const folder = await mkdtemp(join(tmpdir(), 'vexil-helm-'));
  const environment = {
    ...{ HELM_CACHE_HOME: join(folder, 'cache'), HELM_CONFIG_HOME: join(folder, 'config') },
    ...{ HELM_DATA_HOME: join(folder, 'data'), HELM_PLUGINS: join(folder, 'plugins'), KUBECONFIG: kubeconfig },
    // It ends after some tenths of a second, as kubectl does.
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
    chart: CHART,
    async template(values, options) {
      return manifestsIn(await runOrThrow(templateArgs(options), values));
    },
    end: () => rm(folder, { recursive: true, force: true }),
  };
}

/** For `run`, where the chart is to refuse. */
export function templateArgs(options: TemplateOptions = {}): readonly string[] {
  const { release = 'vexil', namespace = 'vexil-system', apiVersions = [], kubeVersion } = options;
  return [
    ...['template', release, CHART, '--namespace', namespace],
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
