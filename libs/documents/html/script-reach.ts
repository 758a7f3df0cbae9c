/**
 * Whatever a script fetches from elsewhere has an address with a scheme or two slashes, unless it is put together in disguise, or packed up as data that
 * has addresses of its own. Documents have no address of their own that others could be relative to.
 */
const signs = /\/\/|\\\/|http|wss?:|&#|\\[ux\d]|eval|(?-i:\bFunction\b)|atob|fromC|decode|escape|import|worker|frame|srcdoc|<base|<object|<embed|data:(?:text|application\/(?!(?:x-)?font)|image\/svg|;)/i;

/** Whether the scripts of a document may fetch something; in doubt they may. Those that may not run without any network. */
export const mayReachOut = (html: string): boolean => signs.test(html);
