/** The series in an expression of Prometheus. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Returns the series that it selects. Throws if Prometheus would not accept the expression. */
export function selectorsIn(expression: string): readonly Selector[] {
  const tree = parser.parse(expression);
  const found: { metric: string; labels: string[] }[] = [];
  tree.iterate({
    enter({ name, type, from, to, node }) {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at character ${from}: ${expression}`);
      const metric = name === 'VectorSelector' ? node.getChild('Identifier') : null;
      if (metric) found.push({ metric: expression.slice(metric.from, metric.to), labels: [] });
      if (name === 'LabelName' && isMatcher(node.parent?.name)) found.at(-1)?.labels.push(text);
    },
  });
  return found;
}

/** Other names of labels belong to groups. */
function isMatcher(parent: string | undefined): boolean {
  return parent?.endsWith('LabelMatcher') ?? false;
}
