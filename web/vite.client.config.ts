import { defineConfig } from 'vite';

// The stream client alone, for programs that are not this page.
export default defineConfig({
  publicDir: false,
  build: {
    target: 'es2022',
    emptyOutDir: false,
    outDir: 'dist/client',
    minify: false,
    reportCompressedSize: false,
    lib: { entry: 'src/stream/client.ts', formats: ['es'], fileName: () => 'steno-stream.js' },
  },
});
