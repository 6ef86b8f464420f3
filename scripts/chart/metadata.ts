/** Generates Chart.yaml with the annotations for Artifact Hub. */
import manifest from '../../package.json' with { type: 'json' };
import { VERSION } from '../../src/model/kind.ts';
import { writeYaml } from '../../src/model/yaml.ts';
import { kinds } from '../../src/schema/kinds.ts';

/** Returns the text of Chart.yaml. Chart and operator have the same version. */
export function chartMetadata(): string {
  const { version, description, license } = manifest;
  const metadata = {
    apiVersion: 'v2',
    name: 'vexil',
    description,
    type: 'application',
    version,
    appVersion: version,
    // The oldest version that `make compat` tests.
    kubeVersion: '>=1.33.0-0',
    keywords: ['feature-flags', 'feature-toggles', 'unleash', 'gitops', 'operator'],
    annotations: {
      'artifacthub.io/category': 'integration-delivery',
      'artifacthub.io/license': license,
      'artifacthub.io/operator': 'true',
      'artifacthub.io/operatorCapabilities': 'Full Lifecycle',
      'artifacthub.io/images': writeYaml([{ name: 'vexil', image: `vexil:${version}` }]),
      'artifacthub.io/crds': writeYaml(
        kinds.map(({ kind, plural, description: text }) => ({
          kind,
          version: VERSION,
          name: `${plural}.vexil.dev`,
          displayName: kind,
          description: text,
        })),
      ),
      'artifacthub.io/crdsExamples': writeYaml([
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
  return writeYaml(metadata);
}
