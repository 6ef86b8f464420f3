/** A line of the operator's log as the demo shows it. */
import { z } from 'zod';

const worthRecording = z.object({
  level: z.enum(['warn', 'error']),
  msg: z.string(),
  error: z.object({ message: z.string() }).optional(),
});

/** The part of the line that the user should see at once; undefined if there is none. */
export function recordedOf(line: string): string | undefined {
  const { data: recorded } = worthRecording.safeParse(parsed(line));
  return recorded && [recorded.msg, recorded.error?.message].filter(Boolean).join(': ');
}

/** Node.js itself writes plain text, and a killed process may write half a line. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
