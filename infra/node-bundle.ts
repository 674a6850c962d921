import type { BuildOptions } from 'esbuild'

/** Variables of CommonJS modules, which packages use and ES modules don't have: the function, and the paths. */
export const requireBanner =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"
export const pathBanner = 'const{filename:__filename,dirname:__dirname}=import.meta;'

/** How esbuild bundles our modules for Node, with shared chunks: those of Lambda and of the package. */
export const nodeBundle = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  // Makes undici leave out its second, experimental parser.
  define: { esbuildDetection: 'true' },
  banner: { js: requireBanner + pathBanner },
  logLevel: 'error',
} as const satisfies BuildOptions
