/** Chooses the way through which changes came, for searches of the history. */

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
  return (
    <label>
      Through
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">Any way</option>
        {Object.entries(WAYS).map(([way, name]) => (
          <option key={way} value={way}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** An unknown value in an address counts as none. */
export function isWay(value: string): boolean {
  return Object.hasOwn(WAYS, value);
}
