/** `vexil sink test`: lets the operator send a test event. */
import { randomUUID } from 'node:crypto';
import { TEST_ANNOTATION } from '../../src/schema/notification-sink.ts';
import { withCluster } from '../connection/cluster.ts';
import { Failure } from '../failure.ts';
import { EXIT, jsonText, printable, type Terminal } from '../terminal.ts';
import { annotateSink, readSink, type SinkOptions, untilReported } from './sink-object.ts';

export async function runTestSink(name: string, options: SinkOptions, terminal: Terminal): Promise<void> {
  await withCluster(options, terminal, async (cluster) => {
    await readSink(cluster, name);
    const request = randomUUID();
    await annotateSink(cluster, name, { [TEST_ANNOTATION]: request });
    const test = await untilReported(cluster, name, ({ lastTest }) =>
      lastTest?.request === request ? lastTest : undefined,
    );
    const { succeeded, message } = test;
    if (options.output === 'json') terminal.write(jsonText({ sink: name, succeeded, message }));
    if (!succeeded) throw new Failure(`the receiver of "${name}" has not taken the event: ${message}`, EXIT.findings);
    if (options.output === 'text') terminal.write(printable(`The receiver of ${name} has taken the test event.\n`));
  });
}
