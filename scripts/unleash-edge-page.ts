/** Writes docs/from-unleash-edge.md. */
import manifest from '../package.json' with { type: 'json' };
import { edgeSettings, longOptions, type Setting } from '../src/edge/setting-table.ts';
import { needlessOptions, optionNamed, refusedOptions } from '../src/edge/unleash-edge-options.ts';

/** The text of docs/from-unleash-edge.md. */
export function unleashEdgePage(): string {
  return `# From Unleash Edge

The open-source Unleash Edge ends on 31 December 2026. [\`vexil edge\`](edge.md) takes its place in front of the same
Unleash: it reads the environment variables and options of Unleash Edge, and has its endpoints, its paths for probes and
its port 3063. SDKs and tokens stay as they are.

## Switch

1. See what the edge would serve, with the settings that you have:

   <!-- not run: needs an Unleash -->
   \`\`\`sh
   docker run --rm --env UPSTREAM_URL=https://unleash.example.com --env-file tokens.env vexil:${manifest.version} /app/edge.js check
   \`\`\`

   A setting that cannot be honoured ends the program with a sentence that says what to use. A setting that is not
   needed is listed in \`withoutEffect\` of the log line \`edge: starting\`.
2. Start \`/app/edge.js\` of [the image](install.md#quick-start) in place of \`unleash-edge\`, with the same arguments:
   \`edge\`, \`offline\`, \`health\` and \`ready\` work.
3. Give the process 512 MiB of memory. An edge takes about 90 MiB with 1,000 flags ([sizing](edge.md#sizing)), which is more
   than Unleash Edge takes.
4. Files in \`BACKUP_FOLDER\` that Unleash Edge has written are not read. Use a new folder for each process.

With the Helm chart of Unleash Edge (3.1.4), the image is enough: the edge has the name that its probes run. Each of
these probes starts a process; the others ask over HTTP:

\`\`\`yaml
image: { repository: REGISTRY/vexil, tag: ${manifest.version} }
livenessProbe: { enabled: true }
readinessProbe: { enabled: true, path: /internal-backstage/ready, successThreshold: 1 }
\`\`\`

The [chart vexil-edge](install-edge.md#with-helm) has more: two pods, a budget for disruptions, a backup, alerts.

## What is different

- While the upstream is away, unknown tokens are answered with 503. A state without flags is not believed at once.
- A frontend token without flags is answered with 503, and not with 511.
- \`STRICT\` admits only the tokens that were given. Unleash Edge, whose version 20 is always strict, also admits others
  within their scope: give these too, or leave \`STRICT\` out, so that the upstream is asked about unknown tokens.
- With a certificate, https is served at \`PORT\`, and nothing over http.
- In front of an Unleash without streams, the edge polls. In front of Vexil, changes arrive at once.
- Without an upstream, tokens must say their environment, such as \`*:development.secret\`, and the files are answers of
  \`/api/client/features\`: the short form with the names of flags alone is not read.
- \`/internal-backstage\` has no \`features\`, \`tokens\`, \`metricsbatch\` and \`instancedata\`.

## Options that work

Each is an environment variable and an option. Short options work as well.

| Unleash Edge | Option | In Vexil |
|---|---|---|
${same().join('\n')}
| \`EDGE_URL\`, \`CA_CERTIFICATE_FILE\` | \`--edge-url\`, \`--ca-certificate-file\` | for \`health\` and \`ready\` |
| \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`NO_PROXY\` | | the same |

## Options that are refused

The program ends with this sentence. With the value \`false\`, or a header \`Authorization\`, they are accepted.

| Unleash Edge | What to do |
|---|---|
${rows(refusedOptions).join('\n')}

## Options that are not needed

They are accepted, and do nothing.

| Unleash Edge | Reason |
|---|---|
${rows(needlessOptions).join('\n')}
`;
}

function same(): readonly string[] {
  return Object.values<Setting>(edgeSettings).flatMap((setting) => {
    const [own = '', ...others] = setting.variables;
    const options = others.map((name) => `\`${optionNamed(name)}\``);
    const [long] = longOptions(setting);
    const names = others.map((name) => `\`${name}\``);
    return others.length === 0 ? [] : [`| ${names.join(', ')} | ${options.join(', ')} | \`${own}\`, \`${long}\` |`];
  });
}

/** One row for each text, in the order of their first names. */
function rows(options: Readonly<Record<string, string>>): readonly string[] {
  const byText = Map.groupBy(Object.keys(options), (name) => options[name]);
  return [...byText].map(([text, names]) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${text} |`);
}
