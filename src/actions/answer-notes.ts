/** What a use case notes for the Warning of its answer. */
import type { AskedFor } from '../domain/usage/removal.ts';

export interface AnswerNotes {
  /** Parts with defects, which are missing from the answer. */
  readonly leftOut: readonly string[];
  leaveOut(parts: readonly string[]): void;
  /** Flags that were removed, and that production still asks for. */
  readonly asked: readonly AskedFor[];
  noteAsked(flags: readonly AskedFor[]): void;
  /** Parts of the request that are written in another way. */
  readonly repaired: readonly string[];
  noteRepaired(parts: readonly string[]): void;
  /** Parts of the request that may mean something else than where they come from. */
  readonly doubted: readonly string[];
  noteDoubted(parts: readonly string[]): void;
}

export function createAnswerNotes(): AnswerNotes {
  const [leftOut, repaired, doubted] = [listed<string>(), listed<string>(), listed<string>()];
  const asked = listed<AskedFor>();
  return {
    leftOut: leftOut.all,
    leaveOut: leftOut.add,
    asked: asked.all,
    noteAsked: asked.add,
    repaired: repaired.all,
    noteRepaired: repaired.add,
    doubted: doubted.all,
    noteDoubted: doubted.add,
  };
}

/** An import has more parts than a call has arguments, so they are added one by one. */
function listed<T>() {
  const all: T[] = [];
  const add = (more: readonly T[]) => {
    for (const one of more) all.push(one);
  };
  return { all, add };
}
