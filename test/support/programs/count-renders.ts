import { writeSync } from 'node:fs';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import type { CountedRender } from '#libs/limits/port.ts';

// This file is a program: it counts renders that it never accepts, says so, and waits to be killed.

const { url, renders } = JSON.parse(process.argv[2]!) as { url: string; renders: CountedRender[] };
const unneeded = (): Promise<never> => Promise.reject(new Error('the counter is there'));
const limits = await openMongoLimits(url, {
  waitUntilCaughtUp: unneeded,
  usageOf: unneeded,
  usageOfAccounts: unneeded,
});
for (const render of renders)
  writeSync(1, `${(await limits.countRender({ ...render, at: new Date(render.at) })).allowed}\n`);
setInterval(() => undefined, 60_000);
