import { defineConfig } from 'vite';

export default defineConfig({
  // Relative, so that the build can be served from any folder.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
