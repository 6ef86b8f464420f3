/** A share in percent, as a slider with a number. */

interface RolloutSliderProps {
  readonly label: string;
  readonly percent: number;
  readonly onChange: (percent: number) => void;
}

export function RolloutSlider({ label, percent, onChange }: RolloutSliderProps) {
  const change = (text: string) => onChange(Math.min(100, Math.max(0, Math.round(Number(text)))));
  return (
    <div className="rollout">
      <label>
        {label}
        <input type="range" min={0} max={100} value={percent} onChange={({ target }) => change(target.value)} />
      </label>
      <label>
        percent
        <input
          type="number"
          min={0}
          max={100}
          step={1}
          value={percent}
          onChange={({ target }) => change(target.value)}
        />
      </label>
    </div>
  );
}
