/** Writes the README of the chart with the table of its values. */
import { configRows } from './settings.ts';
import type { ValueRow } from './value-rows.ts';
import { tableLine, valueTable } from './value-table.ts';

/** The text of charts/vexil/README.md. */
export function chartReadme(rows: readonly ValueRow[]): string {
  return `# Vexil

Feature flags as Kubernetes resources, with an Unleash-compatible admin API.

<!-- not run: needs a cluster that runs pods -->
\`\`\`sh
helm install vexil charts/vexil --namespace vexil-system --create-namespace --set image.repository=REGISTRY/vexil
helm test vexil --namespace vexil-system
\`\`\`

[docs/install.md](../../docs/install.md) covers two replicas, namespaces, access, upgrades, and what an uninstallation keeps.

## Values

${valueTable(rows)}

## Settings in \`config\`

Each key is one of the [settings](../../docs/settings.md). Helm checks values as far as its schema allows. The
operator checks the rest when it starts; a wrong value stops the pod with a message that names it.

| Value | Variable | Description | Allowed |
|---|---|---|---|
${configRows()
  .map(({ key, name, description, allowed }) => tableLine([`\`config.${key}\``, `\`${name}\``, description, allowed]))
  .join('\n')}
`;
}
