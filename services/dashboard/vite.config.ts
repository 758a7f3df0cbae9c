import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The server replaces this text by a new nonce in each response. */
const noncePlaceholder = '{{nonce}}';

export default defineConfig({
  root: folder('app'),
  base: '/dashboard/',
  cacheDir: folder('../../node_modules/.cache/vite'),
  plugins: [react()],
  html: { cspNonce: noncePlaceholder },
  build: {
    outDir: folder('dist'),
    emptyOutDir: true,
    target: 'es2023',
    // A data: URL would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    // One file for what at least four pages share: a page then needs few requests, but the first one loads some 13 kB that
    // only others need. The code editor stays apart, because few pages need it.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'shared', test: /^(?!.*(codemirror|lezer))/, minShareCount: 4 }] },
      },
    },
  },
});
