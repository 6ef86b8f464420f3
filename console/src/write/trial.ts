/** Makes a dry run before a question: what Vexil warns of, or why it would refuse. */
import { ApiError } from '../api.ts';

export interface Trial {
  /** The warning of Vexil. */
  readonly warning: string | undefined;
  readonly refusal: ApiError | undefined;
}

/** `attempt` sends the write with `dryRun`. */
export async function trialOf(attempt: () => Promise<{ readonly response: Response }>): Promise<Trial> {
  try {
    const { response } = await attempt();
    return { warning: textOfWarning(response.headers.get('Warning')), refusal: undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { warning: undefined, refusal: error };
  }
}

/** Returns the text of the header without the code and the quotes. Names in it are percent-encoded. */
function textOfWarning(header: string | null): string | undefined {
  const [, text] = /^299 \S+ "(.*)"$/.exec(header ?? '') ?? [];
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
