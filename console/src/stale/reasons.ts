/** Describes the reasons of findings about the use of flags. */
import type { Schemas } from '../api.generated.ts';

export const REASONS: Readonly<Record<Schemas['StaleFinding']['reason'], string>> = {
  NeverUsed: 'Never used',
  Unused: 'Not used any more',
  AlwaysOn: 'Always on',
  AlwaysOff: 'Always off',
  ArchivedInUse: 'Archived, and still asked for',
  UnknownInUse: 'No flag, and still asked for',
  DependedOn: 'Other flags depend on it',
};
