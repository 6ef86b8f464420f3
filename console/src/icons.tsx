/** Small pictures for kinds, owners and plans. They repeat a text, so screen readers do not read them. */
import type { Schemas } from './api.generated.ts';

/** The lines of each picture, in a square of 16. */
const PATHS = {
  release: 'M3.5 14V2.5h9l-2 3 2 3h-9',
  experiment: 'M6 2v4l-3.5 7a.7.7 0 0 0 .6 1h9.8a.7.7 0 0 0 .6-1L10 6V2M5 2h6M4.8 10h6.4',
  operational: 'M2 12a6 6 0 1 1 12 0M8 12l3-4',
  'kill-switch': 'M8 2v6M4.5 4.5a5 5 0 1 0 7 0',
  permission: 'M8.5 8a3 3 0 1 1-6 0 3 3 0 1 1 6 0H14v3M11.5 8v2.5',
  git: 'M6.5 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 1 1 3 0M6.5 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 1 1 3 0M12.5 5.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 1 1 3 0M5 5v6M11 7c0 3-6 1.5-6 4',
  clock: 'M8 2a6 6 0 1 0 .01 0M8 5v3l2 1.5',
  ramp: 'M2 13h3v-3h3V7h3V4h3',
  star: 'M8 1.8l1.9 4 4.3.5-3.2 3 .9 4.3L8 11.5l-3.9 2.1.9-4.3-3.2-3 4.3-.5z',
  lock: 'M4 7.5h8V14H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  frozen: 'M8 1.5v13M2.4 4.7l11.2 6.6M13.6 4.7L2.4 11.3',
  person: 'M8 2.5a2.5 2.5 0 1 0 .01 0M3 14a5 5 0 0 1 10 0',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10h3',
  alert: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM7 14h2',
  plug: 'M5.5 2v3.5M10.5 2v3.5M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2.5',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  search: 'M7 2.5a4.5 4.5 0 1 0 .01 0M10.5 10.5L14 14',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The type of a flag as a picture with its name. */
export function TypeMark({ type, isShort = false }: TypeMarkProps) {
  return (
    <span className={isShort ? 'type' : 'mark type'} title={isShort ? type : undefined}>
      <Icon name={type} />
      <span className={isShort ? 'unseen' : undefined}>{type}</span>
    </span>
  );
}

interface TypeMarkProps {
  readonly type: Schemas['Feature']['type'];
  /** Whether the name is a hint only. */
  readonly isShort?: boolean;
}
