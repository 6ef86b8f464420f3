/** The real Alertmanager, built from its pinned module. */
import { join } from 'node:path';
import { modulePrograms } from './module-programs.ts';
import { type MonitoringServer, startMonitoringServer } from './monitoring-server.ts';

/** An alert as Prometheus sends it. Times are in RFC 3339. */
export interface SentAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generatorURL: string;
  readonly startsAt: string;
  /** The end of the alert. If absent, the alert fires. */
  readonly endsAt?: string;
}

export interface Alertmanager extends MonitoringServer {
  /** Sends alerts as Prometheus does. Rejects if an alert is not accepted. */
  send(...alerts: readonly SentAlert[]): Promise<void>;
  /** The sum of a counter over its series of webhooks. */
  webhooks(counter: string): Promise<number>;
}

/** Resolves when Alertmanager accepts alerts. */
export async function startAlertmanager(config: string): Promise<Alertmanager> {
  const programs = await modulePrograms({
    module: 'github.com/prometheus/alertmanager',
    programs: ['alertmanager'],
    instead: 'leave out the test with a real Alertmanager',
  });
  const server = await startMonitoringServer({
    program: join(programs, 'alertmanager'),
    config,
    args: (folder) => [`--storage.path=${folder}`, '--cluster.listen-address='],
  });
  return {
    ...server,
    async send(...alerts) {
      const body = JSON.stringify(alerts);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${server.url}/api/v2/alerts`, { method: 'POST', headers, body });
      if (!response.ok) throw new Error(`Alertmanager answered ${response.status}: ${await response.text()}`);
    },
    async webhooks(counter) {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const values = text.split('\n').filter((line) => line.startsWith(`${counter}{`) && line.includes('"webhook"'));
      return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
  };
}
