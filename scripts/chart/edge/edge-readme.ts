/** Writes the README of the chart vexil-edge with the table of its values. */
import type { ValueRow } from '../value-rows.ts';
import { tableLine, valueTable } from '../value-table.ts';
import { edgeConfigRows } from './edge-settings.ts';

/** The text of charts/vexil-edge/README.md. */
export function edgeChartReadme(rows: readonly ValueRow[]): string {
  return `# Vexil edge

Serves the flags of Vexil or Unleash beside applications, without access to a Kubernetes API.

<!-- not run: needs a cluster that runs pods -->
\`\`\`sh
kubectl create secret generic edge-tokens --namespace flags --from-file=tokens
helm install vexil-edge charts/vexil-edge --namespace flags --set image.repository=REGISTRY/vexil \\
  --set 'upstream.urls={https://flags.example.com}' --set tokens.existingSecret=edge-tokens
helm test vexil-edge --namespace flags
\`\`\`

[docs/install-edge.md](../../docs/install-edge.md) covers tokens, the backup, certificates, scaling and upgrades.

## Values

${valueTable(rows)}

## Settings in \`config\`

Each key is a setting of the edge. Helm checks values as far as its schema allows. The edge checks the rest when it
starts; a wrong value stops the pod with a message that names it.

| Value | Variable | Description | Default |
|---|---|---|---|
${edgeConfigRows()
  .map(({ key, variable, description, byDefault }) =>
    tableLine([`\`config.${key}\``, `\`${variable}\``, description, byDefault && `\`${byDefault}\``]),
  )
  .join('\n')}
`;
}
