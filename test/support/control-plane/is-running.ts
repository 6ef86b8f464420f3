/** Whether a process still runs. */
import { runProgram } from '../../../scripts/tools/run-program.ts';

/** Whether the process runs. A zombie does not run. */
export async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await runProgram('ps', ['-o', 'stat=', '-p', `${pid}`]);
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
