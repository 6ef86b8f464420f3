/** The commands that test a sink, and that send entries to it once more: the admin API does not write sinks. */

interface SinkPlace {
  readonly namespace: string;
  readonly name: string;
}

export const vexilCommands = ({ namespace, name }: SinkPlace, from: string): string =>
  `vexil sink test ${name} -n ${namespace}
vexil sink replay ${name} -n ${namespace} --from ${from}`;

/** Each value is a new one: the operator follows a value once. */
export const kubectlCommands = ({ namespace, name }: SinkPlace, from: string): string =>
  `# Send a test event, and read the answer
kubectl annotate sink ${name} -n ${namespace} --overwrite vexil.dev/test-request="$(date +%s)"
kubectl get sink ${name} -n ${namespace} -o jsonpath='{.status.lastTest}'

# Send all entries since a time once more
kubectl annotate sink ${name} -n ${namespace} --overwrite vexil.dev/replay-from="${from} $(date +%s)"

# See what is wrong
kubectl describe sink ${name} -n ${namespace}`;

export const NEW_SINK = `apiVersion: vexil.dev/v1alpha1
kind: NotificationSink
metadata:
  name: changes
spec:
  type: Webhook
  url: https://hooks.example.com/vexil
  filter:
    environments: [production]`;
