/** Asks a person before something is changed. */
import { Failure } from './failure.ts';
import { EXIT, type Terminal } from './terminal.ts';

interface Confirmation {
  /** Such as "Write 3 flags to this cluster?" */
  readonly question: string;
  /** What is true without a yes, such as "nothing was written". */
  readonly otherwise: string;
  /** The option --yes: the person has said it already. */
  readonly yes: boolean;
}

/** Throws a Failure unless the answer is yes. */
export async function confirm(
  { question, otherwise, yes }: Confirmation,
  { ask }: Pick<Terminal, 'ask'>,
): Promise<void> {
  if (yes) return;
  if (!ask) throw new Failure(`${otherwise}: standard input is no terminal to confirm it at, give --yes`, EXIT.usage);
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(otherwise, EXIT.findings);
}
