/** The real Prometheus with promtool, built from their pinned module. */
import { join } from 'node:path';
import { type Finished, runProgram } from '../../../scripts/tools/run-program.ts';
import { modulePrograms } from './module-programs.ts';
import { type MonitoringServer, startMonitoringServer } from './monitoring-server.ts';

/** A series that a query found, with its present value as text. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

export interface Prometheus extends MonitoringServer {
  /** Evaluates a query for an instant vector now. Throws with the error message of Prometheus. */
  query(expression: string): Promise<readonly Sample[]>;
  /** Reads any other path of its API, below `/api/v1`. Returns `data`. */
  get<Data>(path: string): Promise<Data>;
}

function projectPrometheus(): Promise<string> {
  return modulePrograms({
    module: 'github.com/prometheus/prometheus',
    programs: ['prometheus', 'promtool'],
    instead: 'leave out the tests with a real Prometheus',
  });
}

/** Runs promtool to its end. */
export async function promtool(...args: readonly string[]): Promise<Finished> {
  return runProgram(join(await projectPrometheus(), 'promtool'), args);
}

/** Resolves when Prometheus answers queries. */
export async function startPrometheus(config: string): Promise<Prometheus> {
  const server = await startMonitoringServer({
    program: join(await projectPrometheus(), 'prometheus'),
    config,
    args: (folder) => [`--storage.tsdb.path=${join(folder, 'data')}`],
  });
  const get = async <Data>(path: string): Promise<Data> => {
    const response = await fetch(`${server.url}/api/v1/${path}`);
    const { status, error, data } = (await response.json()) as { status: string; error?: string; data: Data };
    if (status !== 'success') throw new Error(`Prometheus answered ${response.status} to ${path}: ${error}`);
    return data;
  };
  return {
    ...server,
    get,
    async query(expression) {
      const { result } = await get<{ result: readonly Sample[] }>(`query?query=${encodeURIComponent(expression)}`);
      return result;
    },
  };
}
