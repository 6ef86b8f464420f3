/** The values of the chart that give an operator the settings of a test. */
import type { Values } from '../tools/helm.ts';

/**
 * The chart decides the address of a pod. The other settings have values of their own, or are in Secrets and volumes.
 */
const NOT_IN_CONFIG = [
  ...['VEXIL_HTTP_HOST', 'VEXIL_AUTH', 'VEXIL_ENVIRONMENT_PERMISSIONS', 'VEXIL_AUDIT_RETENTION'],
  ...[
    'VEXIL_ADMIN_TOKEN',
    'VEXIL_OIDC_CLIENT_SECRET',
    'VEXIL_AUDIT_URL',
    'VEXIL_HISTORY_SIGNING_KEY_FILE',
    'VEXIL_HISTORY_EXPORT_URL',
  ],
];

export interface OperatorWishes {
  /** Watched namespaces in addition to the operator namespace. */
  readonly watched?: readonly string[];
  /** `VEXIL_*` variables. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Returns the values. Each test file has its own release next to others, so the objects that exist once in a cluster
 * are left out.
 */
export function operatorValues({ watched = [], settings = {} }: OperatorWishes): Values {
  const { VEXIL_AUTH: auth = 'none', VEXIL_AUDIT_RETENTION: retention = '' } = settings;
  const environmentPermissions = settings['VEXIL_ENVIRONMENT_PERMISSIONS'] === 'true';
  return {
    auth,
    audit: { retention },
    config: { ...configOf(settings), ...(auth === 'none' && { allowAnonymous: true }) },
    watch: { namespaces: watched },
    crds: { install: false },
    rbac: { aggregate: false },
    admission: {
      author: false,
      protectedEnvironments: false,
      freezes: false,
      approvals: false,
      auditEvents: false,
      environmentPermissions,
    },
    defaults: { environments: [], project: '' },
  };
}

/** The settings under their names in the values of the chart. */
function configOf(settings: Readonly<Record<string, string>>): Values {
  const others = Object.entries(settings).filter(([name]) => !NOT_IN_CONFIG.includes(name));
  return Object.fromEntries(others.map(([name, value]) => [camelCase(name.replace('VEXIL_', '')), value]));
}

function camelCase(name: string): string {
  return name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
