import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildSync, type Metafile } from 'esbuild'

const root = join(import.meta.dirname, '..')

/**
 * Bundles all functions in one go: `functions/<name>.ts` becomes the folder `<directory>/<name>` with `index.mjs` and the
 * chunks that it reaches, which is all that its Lambda needs. What a handler imports lazily is a chunk of its own, and is
 * neither read nor parsed before it is used.
 */
export const bundleFunctions = (names: readonly string[], directory: string): void => {
  const outdir = join(directory, 'all')
  const { metafile } = buildSync({
    entryPoints: Object.fromEntries(names.map(name => [name, join(root, 'functions', `${name}.ts`)])),
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'linked',
    metafile: true,
    // undici's word for leaving out its second, experimental parser; and Lambda's Node takes the SIMD build of the first.
    define: { esbuildDetection: 'true' },
    external: ['*/llhttp-wasm.js'],
    // CommonJS packages ask for Node's own modules by require.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  for (const name of names) {
    const folder = join(directory, name)
    mkdirSync(folder, { recursive: true })
    const entry = join(outdir, `${name}.mjs`)
    for (const file of reachable(metafile, relative(root, entry))) {
      const from = join(root, file)
      const to = join(folder, from === entry ? 'index.mjs' : relative(outdir, from))
      copyFileSync(from, to)
      if (existsSync(`${from}.LEGAL.txt`)) copyFileSync(`${from}.LEGAL.txt`, `${to}.LEGAL.txt`)
    }
  }
}

/** The output files that one of them needs, itself first; imports that are lazy count too. */
const reachable = ({ outputs }: Metafile, entry: string): Set<string> => {
  const found = new Set([entry])
  for (const file of found)
    for (const { path, external } of outputs[file]?.imports ?? []) if (!external && path in outputs) found.add(path)
  return found
}
