/** Writes the page about the settings. */
import { describeSettings, type SettingRow } from '../src/config/describe-settings.ts';

/** The text of docs/settings.md. */
export function settingsPage(): string {
  const rows = describeSettings().map(tableRow);
  return `<!-- Generated from src/config/settings.ts by \`npm run generate\`; do not edit. -->

# Settings

Vexil is configured with environment variables. They are read once, at the start. An empty value counts as absent. A value
that is not allowed stops the start with a message that names the variable; so does an unknown name that begins with
\`VEXIL_\`, except those that Kubernetes sets for a Service called \`vexil\` or \`vexil-…\`.

| Variable | What it does | Allowed | Default | Example |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function tableRow({ name, description, allowed, default: byDefault, example }: SettingRow): string {
  const cells = [`\`${name}\``, description, allowed, byDefault, `\`${example}\``];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
