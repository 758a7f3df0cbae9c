import { useEffect, useState } from 'react';

/** Takes the token out of the address, so that it stays neither there nor in the history of the browser. */
const takeToken = (): string => {
  const token = window.location.hash.slice(1);
  if (token !== '')
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return token;
};

/** The token of the link that led to this page; empty if there is none. */
export const useToken = (): string => {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // A link that is pasted into the address bar of this page does not load it again.
    const take = (): void => setToken((before) => takeToken() || before);
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  return token;
};
