/** Installs the admission policies that ship in config/admission. */
import { fileURLToPath } from 'node:url';
import type { ControlPlaneAccess } from './access.ts';

const FOLDER = fileURLToPath(new URL('../../../config/admission', import.meta.url));

/** They are in effect a moment later; the API server does not tell when. */
export async function installAdmission({ kubectlOrThrow }: ControlPlaneAccess): Promise<void> {
  await kubectlOrThrow(['apply', '--server-side', '--filename', FOLDER]);
}
