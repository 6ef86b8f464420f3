/** Refuses a name that is not free. */
import { Refusal } from '../errors.ts';

export interface TakenName {
  /** Such as `A flag`. */
  readonly subject: string;
  readonly name: string;
  /** What the kind calls its wire name. */
  readonly noun?: 'name' | 'id';
  /** What the caller can do besides choosing another name. */
  readonly advice?: string;
}

export function refusalOfTakenName({ subject, name, noun = 'name', advice = 'Choose another' }: TakenName): Refusal {
  return new Refusal('name-taken', `${subject} with the ${noun} "${name}" already exists. ${advice} ${noun}.`);
}

/** The message does not name the namespace, which the caller may not be allowed to see. */
export function refusalOfReservedName(noun: 'flag name' | 'segment name' | 'project id', name: string): Refusal {
  const [, property] = noun.split(' ');
  const message = `The ${noun} "${name}" was used in another namespace and is still reserved there. Choose another ${property}.`;
  return new Refusal('name-taken', message);
}
