/** A program of the benchmark in its own process, which answers one question at a time. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChildProgram<Question, Answer> {
  ask(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

/** The reply of a program. */
export type Reply<Answer> = { readonly answer: Answer } | { readonly failure: string };

/** Starts a program. It ends by itself when this process has ended. */
export function startProgram<Question extends object, Answer>(file: string): ChildProgram<Question, Answer> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, {
    serialization: 'advanced',
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = endOf(child, file);
  // Callers of `ended` get the error; without a caller it must not end this process.
  ended.catch(() => undefined);
  return {
    async ask(question) {
      child.send(question);
      const [reply] = (await Promise.race([once(child, 'message'), ended])) as [Reply<Answer>];
      if ('failure' in reply) throw new Error(`${file}: ${reply.failure}`);
      return reply.answer;
    },
    stop: () => stopChild(child),
  };
}

async function endOf(child: ChildProcess, file: string): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`${file} ended early (${code ?? signal})`);
}

/** Ends a child with a signal that it handles, and waits for its end. */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The side of the program: answers every question until the asking process has ended. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  const reply = (message: Reply<Answer>) => process.send?.(message);
  process.once('disconnect', () => process.exit());
  process.on('message', (question: Question) => {
    answer(question).then(
      (given) => reply({ answer: given }),
      (error: unknown) => reply({ failure: String(error) }),
    );
  });
}
