import { type FSWatcher, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Editors write a file in several steps. */
const settleMs = 100;

type FileWatch = { changed: Promise<'changed'>; stop(): void };

/** Waits for a change of any of these files. Their folders are watched, because editors replace files. */
export const watchFiles = (files: readonly string[]): FileWatch => {
  const paths = new Set(files.map((file) => resolve(file)));
  const change = Promise.withResolvers<'changed'>();
  let timer: NodeJS.Timeout | undefined;
  const watchers: FSWatcher[] = [...new Set([...paths].map((file) => dirname(file)))].map((folder) =>
    watch(folder, (_, name) => {
      if (name === null || !paths.has(resolve(folder, name))) return;
      clearTimeout(timer);
      timer = setTimeout(() => change.resolve('changed'), settleMs);
    }),
  );
  const stop = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  return { changed: change.promise, stop };
};
