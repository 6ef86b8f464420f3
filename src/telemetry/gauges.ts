/** Gauges whose values are read during a scrape. */
import { Gauge, type Registry } from 'prom-client';

/** A value that is read during a scrape. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface MeasuredGauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

/** Called when a gauge cannot be read, once until it can be again. */
export type OnFaultyGauge = (error: unknown, gauge: string) => void;

/** Registers a gauge. It has no values while there are no samples, or while `read` throws. */
export type MeasureGauge = (measured: MeasuredGauge, read: () => readonly Sample[]) => void;

export function gaugesIn(registry: Registry, onFault: OnFaultyGauge): MeasureGauge {
  return (measured, read) => {
    let isFaulty = false;
    const clear = (gauge: Gauge) => {
      gauge.reset();
      // A gauge without labels is reset to 0.
      if (measured.labelNames.length === 0) gauge.remove();
    };
    const collect = (gauge: Gauge) => {
      clear(gauge);
      try {
        for (const { labels, value } of read()) gauge.set(labels, value);
        isFaulty = false;
      } catch (error) {
        clear(gauge);
        if (!isFaulty) onFault(error, measured.name);
        isFaulty = true;
      }
    };
    const gauge: Gauge = new Gauge({ ...measured, registers: [registry], collect: () => collect(gauge) });
  };
}
