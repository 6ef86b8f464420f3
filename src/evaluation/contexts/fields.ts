/** The context of one user, as made or given to compare flags. */

/** Values by the name of the field, also of fields that are properties on the wire. */
export type FieldsOfContext = Readonly<Record<string, string>>;
