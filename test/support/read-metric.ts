/** One value of the metrics page of an operator. */

/** 0 if the series does not exist. `series` is like `vexil_leader` or `name{label="value"}`. */
export async function readMetric(opsUrl: string, series: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `) || one.startsWith(`${series}{} `));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
}
