/** `vexil edge`: flags beside applications, without a cluster. */
import type { Command } from 'commander';
import { edgeCommand as command } from '../../src/edge/command.ts';
import { isRefusal } from '../../src/errors.ts';
import { Failure } from '../failure.ts';
import { EXIT, type Terminal } from '../terminal.ts';

export function edgeProgram(terminal: Terminal): Command {
  return command(async (options) => {
    const { readEdgeSettings } = await import('../../src/edge/settings.ts');
    const { runEdge } = await import('../../src/edge/run-edge.ts');
    const readManifests = async (path: string) => {
      const { edgeDocuments } = await import('../evaluate/edge-documents.ts');
      return edgeDocuments(path, terminal);
    };
    const { version, environment, onStop, end } = terminal;
    try {
      await runEdge(readEdgeSettings(options, environment), { version, environment, onStop, exit: end, readManifests });
    } catch (error) {
      throw isRefusal(error, 'invalid') ? new Failure(error.message, EXIT.usage) : error;
    }
  });
}
