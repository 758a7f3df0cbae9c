/** The address of the dashboard on the service. */
export const basePath = '/dashboard';

/**
 * Leaves this page for an address of the service. Nothing of this page stays in memory: responses, forms, running
 * requests. Never resolves, so that what waits for it stays disabled, also where a person declines to leave.
 */
export const loadPage = (address: string = basePath): Promise<never> => {
  window.location.assign(address);
  return new Promise(() => undefined);
};
