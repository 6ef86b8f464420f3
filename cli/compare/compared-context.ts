/** What a server is asked for. */

/** Fields by name, also those that are properties on the wire. */
export type ComparedContext = Readonly<Record<string, string>>;
