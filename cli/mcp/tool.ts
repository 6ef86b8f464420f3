/** A tool of the MCP server, with its input and its action. */
import { z } from 'zod';
import type { ServerConnection } from '../connection/server.ts';
import { InputError } from '../failure.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
  /** The input as JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Returns the answer as text. Throws a Failure for input that is not valid, and if the server refuses. */
  readonly run: (input: unknown, server: ServerConnection) => Promise<string>;
}

interface ToolDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly description: string;
  readonly writes?: boolean;
  readonly input: Shape;
  readonly run: (input: z.output<z.ZodObject<Shape>>, server: ServerConnection) => Promise<string>;
}

export function tool<Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): Tool {
  const { name, description, writes = false, input, run } = definition;
  const schema = z.strictObject(input);
  return {
    name,
    description,
    writes,
    inputSchema: z.toJSONSchema(schema, { io: 'input' }),
    run: (given, server) => {
      const parsed = schema.safeParse(given ?? {});
      if (!parsed.success) throw new InputError(`the input of ${name} is not valid: ${z.prettifyError(parsed.error)}`);
      return run(parsed.data, server);
    },
  };
}
