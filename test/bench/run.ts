import { availableParallelism, cpus } from 'node:os';
import { access } from './access.ts';
import { acceptRate, backlogDrainRate, startupTime } from './async.ts';
import { badInput } from './bad-input.ts';
import { callbackDelay, callbackRate } from './callbacks.ts';
import { dashboardPages } from './dashboard.ts';
import { latencyBesideHeavyRender } from './latency-beside-heavy-render.ts';
import { latencyBesideUpload } from './latency-beside-upload.ts';
import { benchAppends } from './event-store.ts';
import { memory } from './memory.ts';
import { serversThroughput, rendererBalance } from './production.ts';
import { printHeading, printAllTargets, printTarget } from './report.ts';
import { sizing } from './sizing.ts';
import { templateReads } from './templates.ts';
import { tracing } from './tracing.ts';
import {
  conformingThroughput,
  convertThroughput,
  frameThroughput,
  scriptThroughput,
  templateThroughput,
} from './throughput.ts';
import { usage } from './usage.ts';
import { word } from './word.ts';

const appends = async (): Promise<void> => {
  printHeading('Durable appends to the embedded event store');
  const { perSecond, p50Ms } = await benchAppends(1024, 40_000);
  console.log(`  1024 callers, p50 ${p50Ms.toFixed(1)} ms`);
  printTarget('single-event appends', perSecond, 'at least', 10_000, ' /s');
};

const parts: Record<string, () => Promise<void>> = {
  convert: () => convertThroughput(600, 3),
  template: () => templateThroughput(600, 3),
  script: () => scriptThroughput(60, 3),
  frames: () => frameThroughput(60, 3),
  conforming: () => conformingThroughput(300, 5),
  tracing: () => tracing(400, 9),
  servers: () => serversThroughput(40, 7),
  'renderer-balance': () => rendererBalance(1_000),
  sizing: () => sizing(400),
  appends,
  'neighbour-latency': latencyBesideHeavyRender,
  'upload-latency': latencyBesideUpload,
  'bad-input': badInput,
  templates: () => templateReads(50, 100, 2000),
  access: () => access(100_000, 50_000),
  usage: () => usage(1_000_000, 2_000),
  dashboard: () => dashboardPages(100_000),
  word: () => word(500),
  memory: () => memory(500, 20_000),
  accepting: () => acceptRate(10_000),
  starting: () => startupTime(50_000),
  draining: () => backlogDrainRate(20_000),
  callbacks: () => callbackRate(3_000),
  delay: () => callbackDelay(200, 1_000),
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0)
  throw new Error(`There is no ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);

console.log(`${availableParallelism()} cores, ${cpus()[0]?.model}, Node ${process.version}`);
for (const name of chosen.length > 0 ? chosen : Object.keys(parts)) await parts[name]!();
printAllTargets();
