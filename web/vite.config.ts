import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const server = process.env.STENO_URL ?? 'http://127.0.0.1:7836';

export default defineConfig({
  plugins: [svelte()],
  resolve: { conditions: process.env.VITEST ? ['browser'] : undefined },
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  server: { proxy: { '/v1': server } },
  test: { environment: 'jsdom', include: ['test/**/*.test.ts'], testTimeout: 60_000 },
});
