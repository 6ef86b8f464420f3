/** The options of commands that talk to a cluster, or to the API of Vexil. */
import { type Command, Option } from 'commander';

export interface ClusterOptions {
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
  readonly namespace?: string;
}

export interface ServerOptions {
  readonly server?: string;
  readonly tokenFile?: string;
}

export interface OutputOptions {
  readonly output: 'text' | 'json';
}

const NAMESPACE = 'the namespace (default: that of the context)';

/** Has the options of kubectl, except --context, which is the context of an evaluation here. */
export function withClusterOptions(command: Command, namespace = NAMESPACE): Command {
  return command
    .option('--kubeconfig <file>', 'the kubeconfig (default: the files of KUBECONFIG, or ~/.kube/config)')
    .option('--kube-context <name>', 'the context of the kubeconfig (default: the current one)')
    .option('-n, --namespace <name>', namespace);
}

/** There is no option for the token itself: other users of the machine can read the command lines of processes. */
export function withServerOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--server <url>', 'the address of Vexil, such as https://vexil.example.com').env('VEXIL_SERVER'),
    )
    .addOption(
      new Option('--token-file <file>', 'the file with the token for Vexil (or the token in VEXIL_TOKEN)').env(
        'VEXIL_TOKEN_FILE',
      ),
    );
}

export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('--output <format>', 'for people or for programs').choices(['text', 'json']).default('text'),
  );
}
