/** Chooses the way through which changes came, for searches of the history. */
import { Select } from '../select.tsx';

/** By the values of the API. */
const WAYS = {
  console: 'Console',
  api: 'API',
  kubectl: 'kubectl',
  controller: 'GitOps or another controller',
  alert: 'Alert',
  time: 'Time, as planned',
  unknown: 'Not known',
} as const;

interface WayChoiceProps {
  readonly value: string;
  readonly onChange: (way: string) => void;
}

export function WayChoice({ value, onChange }: WayChoiceProps) {
  return <Select label="Through" none="Any way" of={Object.entries(WAYS)} value={value} onChange={onChange} />;
}

/** An unknown value in an address counts as none. */
export function isWay(value: string): boolean {
  return Object.hasOwn(WAYS, value);
}
