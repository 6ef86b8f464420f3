/** The use of a flag in an environment: its evaluations and variants in a period, when it was last asked for. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../../api.generated.ts';
import { featurePath } from '../../feature-link.tsx';
import { PartsBar } from '../../shapes/parts-bar.tsx';
import { shortDayText, timeText } from '../../times.ts';
import type { FeaturePlace } from '../place.ts';
import { type Count, countsIn, variantsIn } from './counts.ts';
import { PERIODS, type Period, usageQuery, usePeriod } from './usage-queries.ts';

interface UsageViewProps {
  readonly place: FeaturePlace;
  readonly environment: string;
  readonly seen: Pick<Schemas['FeatureEnvironment'], 'lastSeenAt' | 'lastSeenThrough'>;
}

const count = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact' });
const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

export function UsageView({ place, environment, seen }: UsageViewProps) {
  const period = usePeriod();
  const { data, error } = useQuery(usageQuery(place, period));
  return (
    <>
      <h3>Usage</h3>
      {error && !data && <p className="hint">{error.message}</p>}
      {data && <Evaluations period={period} counts={countsIn(data, environment)} />}
      {data && <Variants variants={variantsIn(data, environment)} />}
      <p className="hint">{seenText(seen)}</p>
    </>
  );
}

function seenText({ lastSeenAt, lastSeenThrough: edge }: UsageViewProps['seen']): string {
  if (lastSeenAt === null) return 'No SDK has asked.';
  return `Last seen: ${timeText(lastSeenAt)}${edge ? `, through the edge ${edge.instanceId}` : ''}.`;
}

/** The links that choose the period for all environments. */
export function PeriodChoice({ place: { projectId, featureName } }: Pick<UsageViewProps, 'place'>) {
  const present = usePeriod();
  const path = featurePath(projectId, featureName);
  return (
    <nav className="periods" aria-label="Period of the usage">
      Usage of{' '}
      {(['hours', 'days'] as const).map((period) => (
        <Link
          key={period}
          href={period === 'hours' ? path : `${path}?usage=${period}`}
          replace
          aria-current={period === present ? 'true' : undefined}
        >
          {PERIODS[period].name}
        </Link>
      ))}
    </nav>
  );
}

interface EvaluationsProps {
  readonly period: Period;
  readonly counts: readonly Count[];
}

function Evaluations({ period, counts }: EvaluationsProps) {
  const yes = counts.reduce((sum, one) => sum + one.yes, 0);
  const all = counts.reduce((sum, one) => sum + one.no, yes);
  const { name } = PERIODS[period];
  if (all === 0) return <p>No evaluations in {name}.</p>;
  return (
    <>
      <Chart period={period} counts={counts} />
      <p>
        {count.format(all)} {all === 1 ? 'evaluation' : 'evaluations'} in {name}, {count.format(yes)} yes
      </p>
    </>
  );
}

function Variants({ variants }: { readonly variants: readonly (readonly [string, number])[] }) {
  // Flags without variants have this one only.
  if (variants.every(([name]) => name === 'disabled')) return null;
  const all = variants.reduce((sum, [, size]) => sum + size, 0);
  const parts = variants.map(([name, size]) => {
    return { name, size, text: `${count.format(size)} (${percent.format(size / all)})` };
  });
  return <PartsBar label="Variants that were chosen" parts={parts} />;
}

const HEIGHT = 40;
const STEP = 5;
const WIDTH = 4;
/** The smallest height, at which one evaluation is visible next to a million. */
const LEAST = 1;

/** Hidden from screen readers, because the text below says the same. */
function Chart({ period, counts }: EvaluationsProps) {
  const most = Math.max(...counts.map(({ yes, no }) => yes + no));
  const tall = (evaluations: number) =>
    evaluations === 0 ? 0 : Math.max(LEAST, Math.round((evaluations / most) * HEIGHT));
  const textOf = (timestamp: string) => (period === 'days' ? shortDayText(timestamp) : timeText(timestamp));
  const [first, last] = [counts[0], counts.at(-1)];
  return (
    <div className="chart" aria-hidden="true">
      <p className="scale">
        {short.format(most)} {period === 'days' ? 'a day' : 'an hour'} at most
      </p>
      <svg
        className="sparkline"
        aria-hidden="true"
        viewBox={`0 0 ${counts.length * STEP} ${HEIGHT + LEAST}`}
        preserveAspectRatio="none"
      >
        {counts.map(({ timestamp, yes, no }, index) => {
          const [yesTall, noTall] = [tall(yes), tall(no)];
          const ground = HEIGHT + LEAST;
          return (
            <g key={timestamp}>
              <title>{`${textOf(timestamp)}: ${count.format(yes)} yes, ${count.format(no)} no`}</title>
              <rect className="reach" x={index * STEP} y={0} width={STEP} height={ground} />
              <rect className="yes" x={index * STEP} y={ground - yesTall} width={WIDTH} height={yesTall} />
              <rect className="no" x={index * STEP} y={ground - yesTall - noTall} width={WIDTH} height={noTall} />
            </g>
          );
        })}
      </svg>
      <p className="scale">
        <span>{first && textOf(first.timestamp)}</span>
        <span>{last && textOf(last.timestamp)}</span>
      </p>
    </div>
  );
}
