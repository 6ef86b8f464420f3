/** The metrics that a program serves, to compare them with those that queries use. */
import { selectorsIn } from './promql.ts';

/** Labels that the scraping Prometheus adds. */
const SCRAPED = ['job', 'instance', 'namespace', 'pod', 'service', 'endpoint', 'container'];
/** Metrics that Prometheus itself adds. */
const PROMETHEUS = ['up'];

/** The labels of each served series, by its name. */
type ServedMetrics = ReadonlyMap<string, ReadonlySet<string>>;

/** The text is the page of metrics. A metric without a value has a type too. */
export function metricsIn(text: string): ServedMetrics {
  const found = new Map<string, Set<string>>();
  const add = (name: string, labels: readonly string[]) =>
    found.set(name, new Set([...(found.get(name) ?? []), ...labels]));
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) add(name + suffix, []);
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z_]+)(?:\{([^}]*)\})? \S+$/gm)) {
    add(
      name,
      [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
    );
  }
  return found;
}

/** What a query asks for and nobody serves. */
export function complaintsAbout(expression: string, served: ServedMetrics): readonly string[] {
  return selectorsIn(expression).flatMap(({ metric, labels }) => {
    if (PROMETHEUS.includes(metric)) return [];
    const known = served.get(metric);
    if (!known) return [`${metric} is not a metric`];
    // The labels of a metric are unknown until its first value.
    const unknown = known.size === 0 ? [] : labels.filter((label) => !known.has(label) && !SCRAPED.includes(label));
    return unknown.map((label) => `${metric} has no label ${label}`);
  });
}
