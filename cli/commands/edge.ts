/** `vexil edge`: flags beside applications, without a cluster. */
import type { Command } from 'commander';
import type { Checked } from '../../src/edge/check.ts';
import { edgeCommand as command } from '../../src/edge/command.ts';
import type { Probe } from '../../src/edge/probe.ts';
import { isRefusal } from '../../src/errors.ts';
import { Failure } from '../failure.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';

export function edgeProgram(terminal: Terminal): Command {
  const { version, environment, onStop, end } = terminal;
  const print = ({ text, isGood }: Checked): void => {
    terminal.write(printable(text));
    terminal.exit(isGood ? EXIT.ok : EXIT.findings);
  };
  const settingsFrom = async (options: Readonly<Record<string, unknown>>) => {
    const { readEdgeSettings } = await import('../../src/edge/settings.ts');
    return readEdgeSettings(options, environment);
  };
  const readManifests = async (path: string) => {
    const { edgeDocuments } = await import('../evaluate/edge-documents.ts');
    return edgeDocuments(path, terminal);
  };
  const check = async (options: Readonly<Record<string, unknown>>) => {
    const { checkEdge } = await import('../../src/edge/check.ts');
    print(await checkEdge(await settingsFrom(options), { version, environment, readManifests }));
  };
  const probe = async (options: Readonly<Record<string, unknown>>, asked: Probe) => {
    const { probeEdge } = await import('../../src/edge/probe.ts');
    print(await probeEdge(asked, options, environment));
  };
  const start = async (options: Readonly<Record<string, unknown>>) => {
    const { runEdge } = await import('../../src/edge/run-edge.ts');
    await runEdge(await settingsFrom(options), { version, environment, onStop, exit: end, readManifests });
  };
  return command({ start: explained(start), check: explained(check), probe: explained(probe) });
}

/** Wrong settings, and files and ports that cannot be used, are the caller's to mend. */
function explained<Given extends unknown[]>(action: (...given: Given) => Promise<void>) {
  return (...given: Given): Promise<void> =>
    action(...given).catch((error: unknown) => {
      if (isRefusal(error, 'invalid')) throw new Failure(error.message, EXIT.usage);
      const isOfSystem = error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined;
      throw isOfSystem ? new Failure(`the edge cannot start: ${error.message}`, EXIT.usage) : error;
    });
}
