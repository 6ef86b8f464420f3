/** The members of errors that only requests of the admin API get. */
import { isRefusal, type KnownError, type Refusal, type SourceChange } from '../../../errors.ts';
import { manifestPieces } from '../../../wire/admin/manifest.ts';
import { presentSpan } from '../../../wire/admin/past/span.ts';
import { presentFrozen } from '../../../wire/admin/project/freeze.ts';

/** A spec can have a megabyte. */
const MAX_SOURCE_LENGTH = 32_768;

export function adminErrorMembers(error: KnownError | undefined): object {
  if (!isRefusal(error)) return {};
  const { sources, frozen, ownedFlags, toApprove, uncertain } = error;
  return {
    ...(sources.length > 0 && { sources: sources.map(presentSource) }),
    ...(frozen.length > 0 && { freezes: frozen.map(presentFrozen) }),
    ...(ownedFlags.length > 0 && { ownedFlags: ownedFlags.map(presentOwned) }),
    ...(toApprove && { approvals: Object.entries(toApprove.required).map(presentApproval) }),
    ...(uncertain && { uncertain: presentSpan(uncertain) }),
  };
}

function presentOwned({ name, managers }: Refusal['ownedFlags'][number]) {
  return { name, managers: [...managers] };
}

function presentApproval([environment, required]: readonly [string, number]) {
  return { environment, required };
}

function presentSource({ manager, operation, mergePatch, appliedFrom, ...source }: SourceChange) {
  const manifest = shortText(manifestPieces([source.manifest]));
  const present = shortText(manifestPieces([source.present]));
  const isPatchShort = JSON.stringify(mergePatch).length <= MAX_SOURCE_LENGTH;
  return {
    ...{ manager, operation },
    ...(manifest !== undefined && { yaml: `${reasonLine(source)}${manifest}` }),
    ...(manifest !== undefined && present !== undefined && { present }),
    ...(appliedFrom !== undefined && { appliedFrom }),
    ...(isPatchShort && { mergePatch }),
  };
}

/** Undefined if it is longer: the rest is not made. */
function shortText(pieces: Iterable<string>): string | undefined {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length > MAX_SOURCE_LENGTH) return undefined;
  }
  return text;
}

/** A comment, so that the reason gets into the commit. */
function reasonLine({ reason }: Pick<SourceChange, 'reason'>): string {
  return reason === undefined ? '' : `# Reason: ${reason.replace(/\p{Cc}+/gu, ' ')}\n`;
}
