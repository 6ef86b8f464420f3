/** Refuses a name that is not free. */
import { Refusal } from '../errors.ts';

export interface TakenName {
  /** For example `A flag`. */
  readonly subject: string;
  readonly name: string;
  /** The noun for the wire name of the kind. */
  readonly noun?: 'name' | 'id';
  /** Another action that the caller can take instead of choosing another name. */
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
