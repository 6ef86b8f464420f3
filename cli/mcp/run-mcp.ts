/** `vexil mcp`: a server of the Model Context Protocol over standard input and output. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ServerOptions } from '../connection/options.ts';
import { ApiFailure, connectServer, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { readTools } from './read-tools.ts';
import type { Tool } from './tool.ts';
import { createWriteTools } from './write-tools.ts';

export interface McpOptions extends ServerOptions {
  readonly allowWrites: boolean;
}

/** Resolves when the server runs; the server ends with its standard input. */
export async function runMcp(options: McpOptions, terminal: Terminal): Promise<void> {
  const connection = await connectServer(options, terminal);
  const tools = [...readTools, ...(options.allowWrites ? createWriteTools() : [])];
  const server = new Server({ name: 'vexil', version: terminal.version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(present) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    call(
      tools.find(({ name }) => name === params.name),
      params,
      connection,
    ),
  );
  await server.connect(new StdioServerTransport());
}

function present({ name, description, inputSchema, writes }: Tool) {
  const annotations = { readOnlyHint: !writes, destructiveHint: writes, openWorldHint: false };
  return { name, description, inputSchema: { ...inputSchema, type: 'object' as const }, annotations };
}

interface ToolCall {
  readonly name: string;
  readonly arguments?: unknown;
}

/** Returns a refusal as an answer, so that the model reads the reason. */
async function call(tool: Tool | undefined, given: ToolCall, connection: ServerConnection): Promise<CallToolResult> {
  try {
    if (!tool)
      throw new Failure(`there is no tool ${given.name}, or writes are not allowed (--allow-writes)`, EXIT.usage);
    return { content: [{ type: 'text', text: await tool.run(given.arguments, connection) }] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { isError: true, content: [{ type: 'text', text: refusalText(error) }] };
  }
}

/** Adds the change for each source if a GitOps tool owns the field. */
function refusalText(error: Failure): string {
  const sources = error instanceof ApiFailure ? error.sources : [];
  const changes = sources.map(({ manager, yaml = '' }) => `The change for ${manager}:\n${yaml}`);
  return [error.message, ...changes].join('\n');
}
