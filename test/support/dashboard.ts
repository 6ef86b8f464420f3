/** The queries of the Grafana dashboard to Prometheus. */
import { readFileSync } from 'node:fs';

const FILE = new URL('../../config/monitoring/dashboard.json', import.meta.url);
/** The values that Grafana puts in place of its variables if all jobs and namespaces are chosen. */
const VALUES: Readonly<Record<string, string>> = {
  $__rate_interval: '5m',
  $__range: '5m',
  $__interval: '5m',
  $job: '.*',
  $namespace: '.*',
};

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

export function dashboardPanels(): readonly Panel[] {
  return (JSON.parse(readFileSync(FILE, 'utf8')) as { panels: readonly Panel[] }).panels;
}

/** Returns the queries as Prometheus receives them. */
export function dashboardQueries(): readonly string[] {
  const targets = dashboardPanels().flatMap((panel) => panel.targets ?? []);
  return targets.map(({ expr }) => expr.replaceAll(/\$\w+/g, (name) => VALUES[name] ?? name));
}
