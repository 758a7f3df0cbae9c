/**
 * Words that the project no longer uses, each with the word to use instead. They were metaphors, or had several
 * meanings. `npm run lint` refuses them in names, comments, texts and docs, also inside a longer name such as
 * `openHouse`. `allowed` matches names of others that contain the word.
 */
export const retiredWords: readonly { word: string; use: string; allowed?: RegExp }[] = [
  { word: 'band', use: 'header, footer' },
  { word: 'bands', use: 'header, footer' },
  { word: 'bell', use: 'notification' },
  { word: 'door', use: 'egress' },
  { word: 'errand', use: 'task' },
  { word: 'hermitage', use: 'isolated browser' },
  { word: 'house', use: 'process context, browser instance, test environment' },
  { word: 'lane', use: 'render mode' },
  // A page size of CSS.
  { word: 'ledger', use: 'read model', allowed: /\bLedger: inches|'Ledger'/ },
  { word: 'mailbox', use: 'pending replies' },
  { word: 'patience', use: 'timeout, retry' },
  { word: 'seat', use: 'worker, connection' },
  { word: 'shelf', use: 'engines, dependencies' },
  { word: 'stories', use: 'histories' },
  { word: 'story', use: 'history' },
  { word: 'trespass', use: 'rule violation' },
  { word: 'vacant', use: 'free lease' },
  { word: 'walls', use: 'dependency rules' },
  { word: 'workshop', use: 'process context, dependencies' },
];
