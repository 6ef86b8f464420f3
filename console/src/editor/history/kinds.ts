/** The events of a flag in groups, as people look for them. */

export const KINDS = {
  switches: {
    name: 'Switches',
    types: ['feature-environment-enabled', 'feature-environment-disabled', 'feature-alert-action'],
  },
  strategies: {
    name: 'Strategies',
    types: [
      ...['feature-strategy-add', 'feature-strategy-update', 'feature-strategy-remove'],
      'strategy-order-changed',
    ],
  },
  variants: { name: 'Variants', types: ['feature-variants-updated', 'feature-environment-variants-updated'] },
  plans: {
    name: 'Windows and ramps',
    types: [
      ...['feature-window-updated', 'feature-window-opened', 'feature-window-closed'],
      ...['feature-ramp-step', 'feature-freeze-bypassed'],
    ],
  },
  flag: {
    name: 'The flag itself',
    types: [
      ...['feature-created', 'feature-updated', 'feature-metadata-updated'],
      ...['feature-tagged', 'feature-untagged', 'feature-stale-on', 'feature-stale-off'],
      ...['feature-potentially-stale-on', 'feature-archived', 'feature-revived', 'feature-deleted'],
      ...['feature-dependency-added', 'feature-dependency-removed'],
    ],
  },
} as const;
