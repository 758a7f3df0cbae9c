import { lazyRouteComponent } from '@tanstack/react-router';
import { requestRaw } from './client.ts';
import { strings } from '../strings/strings.ts';
import { basePath } from './load-page.ts';

/** Waits for a response of the service, as another load of the dashboard needs one. @throws ApiError */
const checkService = async (): Promise<void> => {
  await requestRaw('GET', basePath);
};

/** Loads the dashboard again; without a connection the present page stays. @throws ApiError */
export const reloadDashboard = async (): Promise<void> => {
  await checkService();
  window.location.reload();
};

/** The code is of an older release, and loading the dashboard again would lose what a person has written. */
export class NewerRelease extends Error {}

/** Whether leaving the page would lose what a person has written, as pages tell the browser. */
const wouldLoseChanges = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

/**
 * Loads the code of a component. The loader throws an ApiError if the service cannot be reached. If it can, a newer release
 * may have replaced the code, and the router loads the dashboard again for the error that is thrown, unless a person would
 * lose changes.
 */
const codeLoader = <M>(load: () => Promise<M>): (() => Promise<M>) => {
  let failure: unknown;
  return async () => {
    try {
      // A second attempt would give the page without the style sheet that failed.
      if (failure !== undefined) throw failure;
      return await load();
    } catch (error) {
      failure = error;
      await checkService();
      if (wouldLoseChanges()) throw new NewerRelease(strings.errors.newerRelease, { cause: error });
      // The router knows this beginning, but not the error for a style sheet.
      throw new Error(`Failed to fetch dynamically imported module: ${String(error)}`, { cause: error });
    }
  };
};

/**
 * A page or another component whose code is loaded when it is first shown, or before. If a newer release has replaced the
 * code, the dashboard is loaded again.
 * @param name the export of the module
 */
export const lazyComponent = <M extends Record<string, unknown>, N extends keyof M>(load: () => Promise<M>, name: N) =>
  lazyRouteComponent(codeLoader(load) as never, name as never) as M[N];
