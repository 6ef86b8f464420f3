/** The use of a flag in an environment: its evaluations of two days, when it was last asked for. */
import { useQuery } from '@tanstack/react-query';
import { timeText } from '../../times.ts';
import type { FeaturePlace } from '../place.ts';
import { type Hour, hoursIn } from './hours.ts';
import { HOURS, usageQuery } from './usage-queries.ts';

interface UsageViewProps {
  readonly place: FeaturePlace;
  readonly environment: string;
  readonly lastSeenAt: string | null;
}

const count = new Intl.NumberFormat();

export function UsageView({ place, environment, lastSeenAt }: UsageViewProps) {
  const { data, error } = useQuery(usageQuery(place));
  const hours = data ? hoursIn(data, environment) : [];
  return (
    <>
      <h3>Usage</h3>
      {error && !data && <p className="hint">{error.message}</p>}
      {data && <Evaluations hours={hours} />}
      <p className="hint">{lastSeenAt === null ? 'No SDK has asked.' : `Last seen: ${timeText(lastSeenAt)}.`}</p>
    </>
  );
}

function Evaluations({ hours }: { readonly hours: readonly Hour[] }) {
  const yes = hours.reduce((sum, hour) => sum + hour.yes, 0);
  const all = hours.reduce((sum, hour) => sum + hour.no, yes);
  if (all === 0) return <p>No evaluations in {HOURS} hours.</p>;
  return (
    <>
      <Sparkline hours={hours} />
      <p>
        {count.format(all)} {all === 1 ? 'evaluation' : 'evaluations'} in {HOURS} hours, {count.format(yes)} yes
      </p>
    </>
  );
}

const HEIGHT = 40;
const STEP = 5;
const WIDTH = 4;
/** The smallest height, at which one evaluation is visible next to a million. */
const LEAST = 1;

/** Hidden from screen readers, because the text below says the same. */
function Sparkline({ hours }: { readonly hours: readonly Hour[] }) {
  const most = Math.max(...hours.map(({ yes, no }) => yes + no));
  const tall = (evaluations: number) =>
    evaluations === 0 ? 0 : Math.max(LEAST, Math.round((evaluations / most) * HEIGHT));
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${hours.length * STEP} ${HEIGHT + LEAST}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {hours.map(({ timestamp, yes, no }, index) => {
        const [yesTall, noTall] = [tall(yes), tall(no)];
        const ground = HEIGHT + LEAST;
        return (
          <g key={timestamp}>
            <rect className="yes" x={index * STEP} y={ground - yesTall} width={WIDTH} height={yesTall} />
            <rect className="no" x={index * STEP} y={ground - yesTall - noTall} width={WIDTH} height={noTall} />
          </g>
        );
      })}
    </svg>
  );
}
