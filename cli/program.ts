/** The command line with all its commands. */
import { Command } from 'commander';
import { archiveCommand, promoteCommand, rampCommand, switchCommand } from './commands/changes.ts';
import { checkCommand } from './commands/check.ts';
import { compareCommand } from './commands/compare.ts';
import { completionCommand } from './commands/completion.ts';
import { edgeProgram } from './commands/edge.ts';
import { evaluateCommand } from './commands/evaluate.ts';
import { exportCommand } from './commands/export.ts';
import { explainCommand, historyCommand, ownersCommand } from './commands/flags.ts';
import { importCommand } from './commands/import.ts';
import { lintCommand } from './commands/lint.ts';
import { mcpCommand } from './commands/mcp.ts';
import { diffCommand, restoreCommand } from './commands/past.ts';
import { planCommand } from './commands/plan.ts';
import {
  commentCommand,
  decisionCommand,
  requestCommand,
  requestsCommand,
  withdrawCommand,
} from './commands/requests.ts';
import { sinkCommand } from './commands/sinks.ts';
import { testCommand } from './commands/test.ts';
import type { Terminal } from './terminal.ts';

/** kubectl starts its plugins by this name: `kubectl vexil`. */
const PLUGIN = 'kubectl-vexil';

/** `startedAs` is the name of the file that was started. */
export function createProgram(terminal: Terminal, startedAs = 'vexil'): Command {
  const program = new Command(startedAs === PLUGIN ? 'kubectl vexil' : 'vexil')
    .description('Feature flags as Kubernetes resources.')
    .version(terminal.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print the help')
    .showHelpAfterError('Run it with --help to see what it takes.')
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError })
    .exitOverride();
  const commands = [
    lintCommand(terminal),
    planCommand(terminal),
    checkCommand(terminal),
    explainCommand(terminal),
    ownersCommand(terminal),
    historyCommand(terminal),
    diffCommand(terminal),
    restoreCommand(terminal),
    switchCommand('on', terminal),
    switchCommand('off', terminal),
    rampCommand(terminal),
    promoteCommand(terminal),
    archiveCommand(terminal),
    requestCommand(terminal),
    requestsCommand(terminal),
    decisionCommand('approve', terminal),
    decisionCommand('reject', terminal),
    commentCommand(terminal),
    withdrawCommand(terminal),
    sinkCommand(terminal),
    evaluateCommand(terminal),
    testCommand(terminal),
    importCommand(terminal),
    compareCommand(terminal),
    exportCommand(terminal),
    edgeProgram(terminal),
    mcpCommand(terminal),
    completionCommand(terminal),
  ];
  for (const command of commands) program.addCommand(inheriting(command, program));
  return program;
}

/** Commands of commands too: each ends the process by itself otherwise, with a status of its own. */
function inheriting(command: Command, from: Command): Command {
  command.copyInheritedSettings(from);
  for (const below of command.commands) inheriting(below, command);
  return command;
}
