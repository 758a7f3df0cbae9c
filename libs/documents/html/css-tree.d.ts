/** css-tree in one file. Its 125 modules take four times as long to load, at each start of a process. */
declare module 'css-tree/dist/csstree.esm' {
  export * from 'css-tree';
}
