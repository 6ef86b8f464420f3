/** The commands that test a sink, and that send entries to it once more: the admin API does not write sinks. */

interface SinkObject {
  readonly namespace: string;
  readonly name: string;
}

interface SinkCommand {
  readonly label: string;
  readonly text: string;
}

/** Each is copied alone. For kubectl, each value is a new one: the operator follows a value once. */
export function commandsFor({ namespace, name }: SinkObject, from: string): readonly SinkCommand[] {
  const sink = `${name} -n ${namespace}`;
  const annotate = `kubectl annotate sink ${sink} --overwrite`;
  return [
    { label: 'test with vexil', text: `vexil sink test ${sink}` },
    {
      label: 'test with kubectl',
      text: `${annotate} vexil.dev/test-request="$(date +%s)"
# After some seconds, the answer:
kubectl get sink ${sink} -o jsonpath='{.status.lastTest}'`,
    },
    { label: 'replay with vexil', text: `vexil sink replay ${sink} --from ${from}` },
    { label: 'replay with kubectl', text: `${annotate} vexil.dev/replay-from="${from} $(date +%s)"` },
  ];
}

export const NEW_SINK = `apiVersion: vexil.dev/v1beta1
kind: NotificationSink
metadata:
  name: changes
spec:
  type: Webhook
  url: https://hooks.example.com/vexil
  filter:
    environments: [production]`;
