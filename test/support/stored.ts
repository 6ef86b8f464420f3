/** An object as the API server holds it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
export type Stored = any;
