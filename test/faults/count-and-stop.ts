import { writeSync } from 'node:fs';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import type { RenderToCount } from '#libs/limits/port.ts';

// This file is a program: it counts renders that it never accepts, says so, and waits to be killed.

const { url, renders } = JSON.parse(process.argv[2]!) as { url: string; renders: RenderToCount[] };
const unneeded = (): Promise<never> => Promise.reject(new Error('the counter is there'));
const limits = await openMongoLimits(url, { caughtUp: unneeded, of: unneeded, ofMonth: unneeded });
for (const render of renders) writeSync(1, `${(await limits.takeRender({ ...render, at: new Date(render.at) })).allowed}\n`);
setInterval(() => undefined, 60_000);
