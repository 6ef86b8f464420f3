/** Writes docs/settings.md. */
import { describeSettings, type SettingRow } from '../src/config/describe-settings.ts';

/** The text of docs/settings.md. */
export function settingsPage(): string {
  const rows = describeSettings().map(tableRow);
  return `# Settings

Vexil is configured with environment variables, which it reads once at startup. An empty value counts as absent. With an
invalid value, or an unknown variable that starts with \`VEXIL_\`, Vexil does not start and prints a message with the name of
the variable. Variables that Kubernetes injects for a Service called \`vexil\` or \`vexil-…\` are ignored.

| Variable | Description | Allowed | Default | Example |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function tableRow({ name, description, allowed, default: byDefault, example }: SettingRow): string {
  const cells = [`\`${name}\``, description, allowed, byDefault, `\`${example}\``];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
