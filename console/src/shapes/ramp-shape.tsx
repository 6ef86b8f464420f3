/** The steps of a ramp as stairs, with the present one. Screen readers read the list of steps instead. */

interface RampShapeProps {
  readonly steps: readonly { readonly rollout: number }[];
  /** The number of the present step, from 1; 0: the first has not begun. */
  readonly step: number;
}

const HEIGHT = 100;
/** The height of a step of 0 %. */
const LEAST = 3;
const WIDTH = 10;
const GAP = 1;

export function RampShape({ steps, step }: RampShapeProps) {
  return (
    <svg
      className="ramp-shape"
      viewBox={`0 0 ${steps.length * WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {steps.map(({ rollout }, index) => {
        const height = Math.max(LEAST, rollout);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have their place alone.
            key={index}
            className={index + 1 === step ? 'present' : index + 1 < step ? 'past' : undefined}
            x={index * WIDTH}
            y={HEIGHT - height}
            width={WIDTH - GAP}
            height={height}
          />
        );
      })}
    </svg>
  );
}
