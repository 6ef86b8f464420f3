/** Runs many rows of a table within one test: each is checked, whatever the others do, and each that fails is named. */
import pLimit from 'p-limit';

export interface Row {
  /** The name of the row within the test. */
  readonly what: string;
  readonly check: () => Promise<void>;
}

/** Returns the problems of the rows in their order. `atOnce` rows are checked at the same time. */
export async function complaintsAbout(rows: readonly Row[], atOnce: number): Promise<readonly string[]> {
  const limit = pLimit(atOnce);
  const found = await Promise.all(rows.map((row) => limit(() => complaintAbout(row))));
  return found.flat();
}

async function complaintAbout({ what, check }: Row): Promise<string[]> {
  try {
    await check();
    return [];
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Fails with all problems, not only the first one. */
export function expectNoComplaints(complaints: readonly string[]): void {
  if (complaints.length > 0) throw new Error(`not as wanted, ${complaints.length} times:\n${complaints.join('\n')}`);
}
