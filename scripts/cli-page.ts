/** Writes docs/cli.md. */
import type { Command } from 'commander';
import { createProgram } from '../cli/program.ts';
import { EXIT, exitMeanings, silentTerminal } from '../cli/terminal.ts';

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : 'vexil';
}

/** The text of docs/cli.md, with what `--help` of each command prints. */
export function cliPage(): string {
  const program = createProgram(silentTerminal);
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  const sections = commands.map((command) => {
    const printed: string[] = [];
    // The text after the options is in the printed help only.
    command.configureOutput({ writeOut: (text) => void printed.push(text), getOutHelpWidth: () => 110 }).outputHelp();
    return `## ${nameOf(command)}\n\n\`\`\`\n${printed.join('').trimEnd()}\n\`\`\`\n`;
  });
  const meanings: Readonly<Record<string, string>> = exitMeanings;
  const statuses = Object.entries(EXIT).map(([name, status]) => `| ${status} | ${meanings[name]} |\n`);
  return `# Command line

\`npm run build\` makes the command line: \`dist/cli.js\` with the folder \`dist/cli\`, which Node.js 24 or newer runs. The
image has it as \`/app/cli.js\`. Copy the whole folder (\`/app\`) to use it elsewhere.

[Check flags in a pull request](check-flags.md) shows it in continuous integration.

## With kubectl

kubectl runs a program \`kubectl-vexil\` in a folder of \`PATH\` as \`kubectl vexil\`:

<!-- demo -->
\`\`\`sh
ln -s "$PWD/dist/cli.js" ~/.local/bin/kubectl-vexil
kubectl vexil explain one-page-checkout
\`\`\`
<!-- /demo -->

## Cluster and server

\`plan\`, \`explain\` and \`owners\` read the cluster with the credentials of kubectl: the files of \`KUBECONFIG\` or
\`--kubeconfig\`, merged as kubectl merges them, or \`~/.kube/config\`, or the ServiceAccount of a pod. The context is
\`--kube-context\`, as \`--context\` is the context of an evaluation. They need \`get\` and \`list\` of the objects; \`plan\`
needs \`patch\` too, although nothing is written. \`plan\` and \`explain\` read freezes from the Environments of all
namespaces, or else of that of the context. Who may list neither reads a note that freezes are not considered.

\`history\`, \`on\`, \`off\` and \`ramp\` call Vexil, which knows the history and respects the [owners of fields](ownership.md).
\`explain\` calls it for the evaluation, \`owners\` and \`explain\` to learn which field managers are protected.

| Variable | Option | Meaning |
|---|---|---|
| \`VEXIL_SERVER\` | \`--server\` | The address of Vexil, with its path prefix if it has one. |
| \`VEXIL_TOKEN\` | | The token: of an ApiToken, or of a Kubernetes ServiceAccount. |
| \`VEXIL_TOKEN_FILE\` | \`--token-file\` | A file with the token; it is used before \`VEXIL_TOKEN\`. |
| \`VEXIL_PROTECTED_MANAGERS\` | \`--protected-managers\` | The protected field managers, as the operator has them. |
| \`NODE_EXTRA_CA_CERTS\` | | A file with the certificate authority of the server. |
| \`NO_COLOR\` | | No colours. There are colours only on a terminal. |

A token is no option, because other users of a machine can read command lines. The credentials of the kubeconfig are not
sent to Vexil: \`VEXIL_TOKEN=$(kubectl create token NAME)\` makes a token for it. Vexil without an address outside of the
cluster is reached by \`kubectl port-forward\`. Use https over networks that others can read: the token is sent as it is.

With \`--output json\` every command prints JSON; \`history\` prints one object a line. \`completion\`, \`edge\` and \`mcp\` have no
\`--output\`: they print a script, and the messages of a protocol, which is JSON in any case. Notes and errors are text, on
the standard error. Text has no control characters of files or servers: each is printed as \`?\`.

## Exit status

| Status | Meaning |
|---|---|
${statuses.join('')}
## k9s

\`config/k9s\` has plugins that explain a flag (Shift-X), list the owners of its fields (Shift-W) and its history
(Shift-Y, with \`VEXIL_SERVER\` and \`VEXIL_TOKEN\`), and a view with columns for feature flags. Merge \`plugins.yaml\` and
\`views.yaml\` into the files of the same names in the configuration folder of k9s (\`k9s info\` prints it). The plugins
need \`vexil\` and \`less\` in \`PATH\`.

## Limits

- \`plan\` judges each object alone: an object that needs another one of the same files is judged as if both were there,
  except for its namespace, which must exist.
- \`plan\` compares with managers that use server-side apply. For \`kubectl apply\` without \`--server-side\`, and Argo CD
  without \`ServerSideApply=true\`, use \`kubectl diff\` or \`argocd app diff\`.
- \`plan\` names the freezes in force that refuse a change of a flag. With the
  [admission policy](freezes.md#what-is-refused), the API server rejects the plan of a user who may not bypass a freeze;
  for all others the exit status is that of the change. Of several Environments with one name, that in the namespace of
  the flag counts.
- \`plan --prune\` finds objects that the field manager has applied in the namespaces of the files.
- \`explain\` and \`owners\` find a flag by its name in the API (\`spec.name\`) or by the name of its object. They read the list
  of flags if the two differ.
- \`explain\` shows the last revision of the Kustomization, HelmRelease or Application that applies the flag, if you may
  read that object. An Application outside of the namespace \`argocd\` must have its namespace in the tracking id.
- \`explain\` names the commit of the last change of a deciding field if the Application keeps it in \`status.history\`, which
  has ten entries unless \`revisionHistoryLimit\` says otherwise. It is the commit that Argo CD applied at the time of the
  change. Flux keeps its history by content, with the newest commit of each, so for Flux only the present revision is
  shown.
- Without \`--server\`, \`owners\` and \`explain\` know the setting \`VEXIL_PROTECTED_MANAGERS\` of your operator only if
  \`--protected-managers\` has it.
- \`history --follow\` asks every two seconds.

${sections.join('\n')}`;
}
