import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// With --require: prints at the end how many modules of each package the process has loaded, and the imports of TypeScript
// modules that Node resolved itself.
const packages: Record<string, number> = {};
const resolvedByNode: string[] = [];
if (isMainThread) {
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      if (/^[#.].*\.ts$/.test(specifier)) resolvedByNode.push(specifier);
      return nextResolve(specifier, context);
    },
    load: (url, context, nextLoad) => {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
      if (name) packages[name] = (packages[name] ?? 0) + 1;
      return nextLoad(url, context);
    },
  });
  process.on('exit', () => console.log(`loaded: ${JSON.stringify({ packages, resolvedByNode })}`));
}
