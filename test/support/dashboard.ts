/** The queries of the Grafana dashboards to Prometheus. */
import { readFileSync } from 'node:fs';
import type { Watched } from './alert-rules.ts';

const FILES: Readonly<Record<Watched, string>> = { operator: 'dashboard.json', edge: 'edge-dashboard.json' };
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

export function dashboardPanels(of: Watched): readonly Panel[] {
  const file = new URL(`../../config/monitoring/${FILES[of]}`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { panels: readonly Panel[] }).panels;
}

/** Returns the queries as Prometheus receives them. */
export function dashboardQueries(of: Watched): readonly string[] {
  const targets = dashboardPanels(of).flatMap((panel) => panel.targets ?? []);
  return targets.map(({ expr }) => expr.replaceAll(/\$\w+/g, (name) => VALUES[name] ?? name));
}
