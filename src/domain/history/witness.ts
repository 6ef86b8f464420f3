/** What the audit log of the API server says about the author of an entry. */

/** The author of the write that caused an entry, as the API server has authenticated the author. */
export interface Witness {
  /** The entry names the same author, or names nobody itself. False: the log contradicts the entry. */
  readonly confirms: boolean;
  readonly createdBy: string;
  readonly createdByUserId: number;
  /** The address that the API server has seen; null: not known. */
  readonly ip: string | null;
  /** The program, in its own words; null: not known. */
  readonly userAgent: string | null;
  /** The field manager, such as `kubectl-edit`; null: not known. */
  readonly fieldManager: string | null;
  /** The user who acted as the author; null: nobody did. */
  readonly impersonatedBy: string | null;
}

/** What begins the name of an author who is only known as a program. */
export const FIELD_MANAGER_PREFIX = 'field manager ';

/** The name of an author of whom nothing is known. */
export const UNKNOWN_AUTHOR = 'unknown';
