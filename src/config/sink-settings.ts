/** The settings of notification sinks. */
import { z } from 'zod';
import { isNetwork } from '../model/patterns.ts';
import { fact } from './fact.ts';

const networks = z.union([
  z.literal('none').transform((): string[] => []),
  z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim()))
    .pipe(z.array(z.string().refine(isNetwork)).max(100)),
]);

export const sinkSettings = {
  VEXIL_SINK_ALLOWED_NETWORKS: fact(networks.prefault('none'), {
    description:
      'Networks that notification sinks may be in although they are not public, also with http and nats. Everyone who may create a NotificationSink reaches all ports in them: name the receivers, not the whole cluster.',
    allowed: 'addresses or ranges such as 10.1.2.3 and 10.1.0.0/16, separated by commas, or "none"',
    defaultText: 'none: sinks are at public addresses, with https or tls',
    example: '10.96.14.7,10.20.0.0/24',
  }),
};
