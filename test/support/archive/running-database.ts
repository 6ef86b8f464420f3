/** A database for as long as a test file runs. */

export interface RunningDatabase {
  /** The URL of an archive that is empty. */
  freshUrl(): Promise<string>;
  /** Runs one statement past the archive. */
  execute(url: string, statement: string): Promise<void>;
  /** Leaves nothing behind. */
  stop(): Promise<void>;
}
