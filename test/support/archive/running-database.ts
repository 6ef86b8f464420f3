/** A database for as long as a test file runs. */

export interface RunningDatabase {
  /** Returns the URL of an empty database. */
  freshUrl(): Promise<string>;
  /** Returns the URL of an archive that has its tables, and no entries. */
  freshArchive(): Promise<string>;
  /** Runs one statement without the archive. */
  execute(url: string, statement: string): Promise<void>;
  /** Stops the database and deletes its data. */
  stop(): Promise<void>;
}
