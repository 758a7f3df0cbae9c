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
    // One file has the code that at least four pages share, so a page needs few requests. The first page then loads about
    // 13 kB that only other pages need. The code editor is not in it, because few pages need it.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'shared', test: /^(?!.*(codemirror|lezer))/, minShareCount: 4 }] },
      },
    },
  },
});
