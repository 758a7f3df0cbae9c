/** Ends all processes of a group. */
export const killProcessGroup = (processGroup: number): void => {
  try {
    process.kill(-processGroup, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};
