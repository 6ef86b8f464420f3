/** `vexil mcp`: tools for assistants. */
import { Command } from 'commander';
import { withServerOptions } from '../connection/options.ts';
import type { McpOptions } from '../mcp/run-mcp.ts';
import type { Terminal } from '../terminal.ts';

const DETAILS = `
Tools: flags, explain, history, evaluate, stale_report; with --allow-writes also switch and ramp, whose first calls
are dry runs.
The token decides what the tools may do. Fields that a GitOps tool owns are refused, as for everyone.

Example of a configuration:
  { "mcpServers": { "vexil": { "command": "vexil", "args": ["mcp", "--server", "https://vexil.example.com"],
    "env": { "VEXIL_TOKEN": "..." } } } }`;

export function mcpCommand(terminal: Terminal): Command {
  const command = new Command('mcp')
    .summary('serve tools for assistants over the Model Context Protocol')
    .description('Serves tools over standard input and output (MCP), through the API of Vexil.')
    .option('--allow-writes', 'offer tools that change flags', false);
  return withServerOptions(command)
    .addHelpText('after', DETAILS)
    .action(async (options: McpOptions) => {
      const { runMcp } = await import('../mcp/run-mcp.ts');
      await runMcp(options, terminal);
    });
}
