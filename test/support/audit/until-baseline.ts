/** Waits for the beginning of a history. */
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import { kinds } from '../../../src/schema/kinds.ts';
import { waitUntil } from '../control-plane/wait-until.ts';

/**
 * Resolves when an operator that watches one namespace has recorded the existing objects as the baseline. Every later
 * change is recorded.
 */
export async function untilBaseline(archiveUrl: string): Promise<void> {
  await waitUntil({ what: 'the baseline is in the archive' }, async () => {
    const archive = openArchive(archiveUrl, { notice: () => undefined });
    const cursors = await archive.cursors().finally(() => archive.close());
    return cursors.filter(({ version }) => version !== '').length === kinds.length;
  });
}
