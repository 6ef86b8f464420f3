/** Which field managers of a flag are protected. */
import { projectIdOf } from '../../src/domain/flag/flag-values.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { type IsProtected, matchProtectedManagers } from '../../src/kube/write/match-protected-managers.ts';
import { DEFAULT_PROTECTED_MANAGERS, protectedManagers } from '../../src/model/protected-managers.ts';
import type { FeatureFlag } from '../../src/schema/feature-flag.ts';
import { wireOwnership } from '../../src/wire/admin/flag/ownership.ts';
import { bodyAs, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { pathOfFlag } from './flag-on-server.ts';

export interface ProtectionOptions {
  /** A value in the syntax of the operator's setting VEXIL_PROTECTED_MANAGERS. */
  readonly protectedManagers?: string;
}

const isProtectedByDefault = matchProtectedManagers(DEFAULT_PROTECTED_MANAGERS);
/** The number of fields in one answer. Further fields usually have the same managers. */
const MAX_FIELDS = 5000;

interface Sources {
  readonly options: ProtectionOptions;
  readonly server: ServerConnection | undefined;
  readonly terminal: Pick<Terminal, 'writeError'>;
}

/**
 * Uses the option; without it, the answer of the server about the flag; without an answer, the default of the operator.
 */
export async function protectionOf(
  flag: FeatureFlag | undefined,
  { options, server, terminal }: Sources,
): Promise<IsProtected> {
  if (options.protectedManagers !== undefined) return matchProtectedManagers(namesIn(options.protectedManagers));
  if (!server || !flag) return isProtectedByDefault;
  return asServerSays(flag, server).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    // The server does not serve a flag whose name belongs to another flag.
    const note = 'Vexil does not say which managers are protected, so the default of VEXIL_PROTECTED_MANAGERS counts';
    terminal.writeError(`note: ${note}: ${error.message}\n`);
    return isProtectedByDefault;
  });
}

async function asServerSays(flag: FeatureFlag, server: ServerConnection): Promise<IsProtected> {
  const path = pathOfFlag({ project: projectIdOf(flag), name: wireNameOf(flag) }, 'ownership');
  const answer = await server.call({ method: 'GET', path, query: { limit: MAX_FIELDS } });
  const owners = bodyAs(wireOwnership, answer).fields.flatMap((field) => field.owners);
  const said = new Map(owners.map((owner) => [`${owner.operation} ${owner.manager}`, owner.protected]));
  return (owner, metadata) => said.get(`${owner.operation} ${owner.manager}`) ?? isProtectedByDefault(owner, metadata);
}

function namesIn(text: string): readonly string[] {
  const { data, error } = protectedManagers.safeParse(text);
  if (data) return data;
  const form = 'names of field managers, separated by commas, with "*" as wildcard, or "none"';
  throw new Failure(`--protected-managers must be ${form}: it is "${text}"`, EXIT.usage, error);
}
