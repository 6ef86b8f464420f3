/** Makes Chart.yaml, with what Artifact Hub shows of it. */
import { stringify } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { VERSION } from '../../src/schema/kind.ts';
import { kinds } from '../../src/schema/kinds.ts';

/** The text of Chart.yaml: chart and operator have one version. */
export function chartMetadata(): string {
  const { version, description, license } = manifest;
  const metadata = {
    apiVersion: 'v2',
    name: 'vexil',
    description,
    type: 'application',
    version,
    appVersion: version,
    // The first with ValidatingAdmissionPolicy, and with a pause before a container stops.
    kubeVersion: '>=1.30.0-0',
    keywords: ['feature-flags', 'feature-toggles', 'unleash', 'gitops', 'operator'],
    annotations: {
      'artifacthub.io/category': 'integration-delivery',
      'artifacthub.io/license': license,
      'artifacthub.io/operator': 'true',
      'artifacthub.io/operatorCapabilities': 'Full Lifecycle',
      'artifacthub.io/images': stringify([{ name: 'vexil', image: `vexil:${version}` }]),
      'artifacthub.io/crds': stringify(
        kinds.map(({ kind, plural, description: what }) => ({
          kind,
          version: VERSION,
          name: `${plural}.vexil.dev`,
          displayName: kind,
          description: what,
        })),
        { lineWidth: 0 },
      ),
      'artifacthub.io/crdsExamples': stringify([
        {
          apiVersion: `vexil.dev/${VERSION}`,
          kind: 'FeatureFlag',
          metadata: { name: 'one-page-checkout' },
          spec: {
            description: 'Checkout on one page instead of four.',
            environments: { production: { strategies: { everyone: { name: 'default' } } } },
          },
        },
      ]),
    },
  };
  return stringify(metadata, { lineWidth: 0 });
}
