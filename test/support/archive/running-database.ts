/** A database for as long as a test file runs. */

export interface RunningDatabase {
  /** Returns the URL of an empty archive. */
  freshUrl(): Promise<string>;
  /** Runs one statement without the archive. */
  execute(url: string, statement: string): Promise<void>;
  /** Stops the database and deletes its data. */
  stop(): Promise<void>;
}
