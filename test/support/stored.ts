/** An object at the API server. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
export type Stored = any;
