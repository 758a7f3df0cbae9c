/** Lets through one call in so many milliseconds, the first one at once. */
export const onceIn = (everyMs: number): ((act: () => void) => void) => {
  let last = -Infinity;
  return (act) => {
    if (performance.now() - last < everyMs) return;
    last = performance.now();
    act();
  };
};
