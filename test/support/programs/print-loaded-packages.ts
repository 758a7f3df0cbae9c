import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// With --import: prints how many modules of each package the process has loaded, when it ends.
const counts: Record<string, number> = {};
if (isMainThread) {
  registerHooks({
    load: (url, context, nextLoad) => {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
      if (name) counts[name] = (counts[name] ?? 0) + 1;
      return nextLoad(url, context);
    },
  });
  process.on('exit', () => console.log(`loaded packages: ${JSON.stringify(counts)}`));
}
