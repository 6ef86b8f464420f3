/** The definition of an audit event type: its texts, and its row on the reference page. */
import type { JsonObject } from '../../model/json.ts';

/** The parts of a note, as plain text. */
export interface NoteParts {
  readonly flag: string;
  /** What a change request is about: ` for flag checkout`, ` for project shop`; empty if it is not known. */
  readonly forTarget: string;
  readonly project: string;
  /** ` in project shop`; empty for a flag without effect. */
  readonly inProject: string;
  /** ` from project shop`; empty for a flag without effect. */
  readonly fromProject: string;
  readonly environment: string;
  /** `for the production environment` */
  readonly forEnvironment: string;
  readonly subject: string;
  /** The metadata fields of a flag that differ. */
  readonly edited: string;
  readonly preData: JsonObject;
  /** The text under this key in the data, otherwise in the previous data, otherwise the name of the object. */
  readonly named: (key: string) => string;
}

/** The parts of a summary, each in the markup of the reader. An optional part begins with a blank. */
export interface SummaryParts {
  readonly flag: string;
  readonly project: string;
  /** Empty for events without a project. */
  readonly inProject: string;
  /** Empty for events without an environment. */
  readonly forEnvironment: string;
  readonly inEnvironment: string;
  readonly strategy: string;
  /** Empty if nothing is compared. */
  readonly strategyChanges: () => string;
  readonly tag: string;
  /** The alert that acted. */
  readonly alert: string;
}

export interface EventType {
  /** The sentence of the Kubernetes Event, without the author. */
  readonly note: (parts: NoteParts) => string;
  /** The name to show; absent: the type itself. */
  readonly label?: string;
  /** The sentence after the author on the wire; absent: `triggered` with the type. */
  readonly summary?: (parts: SummaryParts) => string;
  /** Time alone causes the event: Vexil is its author, and the note names none. */
  readonly byTime?: true;
  /** For the reference page, in Markdown: when the event is recorded, which columns are set, and the content. */
  readonly when: string;
  readonly about: 'flag' | 'flagThere' | 'project' | 'projectThere' | 'environment' | 'token' | 'none';
  readonly data?: string;
  readonly preData?: string;
}

/** The content of an event that has data and preData. */
export const changed = (what: string) => ({ data: what, preData: `${what} before` });
