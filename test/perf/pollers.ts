/** Many SDKs that poll one server, each with the ETag of its last answer, in a process of its own. */
import http from 'node:http';
import { answerQuestions } from './child-program.ts';
import { percentile } from './statistics.ts';

export interface Polling {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  readonly sdks: number;
  readonly everyMs: number;
  readonly durationMs: number;
}

export interface Polled {
  readonly perSecond: number;
  /** The share of the polls that were answered 304. */
  readonly unchanged: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Answer {
  readonly status: number;
  readonly tookMs: number;
}

answerQuestions(measure);

async function measure(polling: Polling): Promise<Polled> {
  const { sdks, everyMs } = polling;
  const startedAt = performance.now();
  // Applications start at different times, so the polls are spread.
  const each = Array.from({ length: sdks }, (_, index) => pollLater(polling, (everyMs * index) / sdks));
  const answers = (await Promise.all(each)).flat();
  const took = answers.map(({ tookMs }) => tookMs);
  return {
    perSecond: (answers.length * 1000) / (performance.now() - startedAt),
    unchanged: answers.filter(({ status }) => status === 304).length / answers.length,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
  };
}

/** Runs one SDK. It begins after that time, and skips a poll while the one before is under way. */
function pollLater(polling: Polling, afterMs: number): Promise<Answer[]> {
  const { port, path, token, everyMs, durationMs } = polling;
  const agent = new http.Agent({ keepAlive: true });
  const answers: Answer[] = [];
  let etag = '"none"';
  let underWay: Promise<void> | undefined;
  const pollOnce = async () => {
    const startedAt = performance.now();
    const headers = { Authorization: token, 'If-None-Match': etag, 'Accept-Encoding': 'gzip' };
    const answer = await poll({ host: '127.0.0.1', port, path, agent, headers });
    etag = answer.etag ?? etag;
    answers.push({ status: answer.status, tookMs: performance.now() - startedAt });
    underWay = undefined;
  };
  return new Promise((resolve, reject) => {
    const begin = () => {
      const beat = setInterval(() => {
        underWay ??= pollOnce().catch(reject);
      }, everyMs);
      const end = () => {
        clearInterval(beat);
        Promise.resolve(underWay).then(() => {
          agent.destroy();
          resolve(answers);
        }, reject);
      };
      setTimeout(end, durationMs);
    };
    setTimeout(begin, afterMs);
  });
}

/** Reads the answer to its end. */
function poll(options: http.RequestOptions): Promise<{ readonly status: number; readonly etag: string | undefined }> {
  return new Promise((resolve, reject) => {
    const request = http.get(options, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      answer.resume().once('end', () => {
        if (status === 200 || status === 304) resolve({ status, etag: headers.etag });
        else reject(new Error(`a poll was answered ${status}`));
      });
    });
    request.once('error', reject);
  });
}
