import { useEffect, useState } from 'react';

/** The value as it was when it had not changed for this time, in milliseconds. */
export const useDelayed = <V>(value: V, delayMs: number): V => {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return delayed;
};
