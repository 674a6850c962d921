import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { leanPackages } from './lean-packages.ts'
import { nodeBundle, pathBanner, requireBanner } from './node-bundle.ts'
import { undescribed } from './undescribed.ts'

const root = join(import.meta.dirname, '..')

export interface BundleSize {
  /** Bytes of all files. */
  readonly total: number
  /** Bytes of the files that are loaded before the handler runs; others are loaded on demand. */
  readonly atStart: number
}

type Group = 'described' | 'units' | 'sets' | 'others'

/**
 * Functions of one group share chunks. esbuild makes a chunk of the modules that the same functions have in common, and each chunk lists its imports and exports. So those
 * that reconcile Kustomizations and HelmReleases, which are large and much alike, are split by none of the others, and `resourceset`, the fullest, by nothing at all. Only `apiserver` has descriptions of fields: it serves the schemas of kinds (`kubectl explain`).
 */
const groupOf = (name: string): Group => {
  if (name === 'apiserver') return 'described'
  if (name === 'resourceset') return 'sets'
  return reconcileUnits.has(name) ? 'units' : 'others'
}

const reconcileUnits: ReadonlySet<string> = new Set(['build', 'apply', 'helmrelease'])

/**
 * Bundles all functions: `functions/<name>.ts` becomes the folder `<directory>/<name>` with `index.mjs` and the chunks that it
 * imports, which is the whole deployment package. Each dynamic import becomes a chunk of its own, which is not read or parsed until it is
 * needed. Returns their sizes by name.
 */
export const bundleFunctions = async (
  names: readonly string[],
  directory: string,
): Promise<ReadonlyMap<string, BundleSize>> => {
  const groups = Object.entries(Object.groupBy(names, groupOf))
  const bundled = await Promise.all(groups.map(([group, members = []]) => bundleTogether(members, directory, group)))
  const sizes = new Map(bundled.flat())
  return new Map(names.map(name => [name, sizes.get(name)!]))
}

/** Bundles the functions of a group, by way of the folder `<directory>/<group>`. */
const bundleTogether = async (
  names: readonly string[],
  directory: string,
  group: string,
): Promise<readonly (readonly [name: string, BundleSize])[]> => {
  const outdir = join(directory, group)
  const files = Object.fromEntries(names.map(name => [name, join(root, 'functions', `${name}.ts`)]))
  const metafile = await bundle(files, outdir, group === 'described' ? [] : [undescribed])
  return names.map(name => {
    const folder = join(directory, name)
    mkdirSync(folder, { recursive: true })
    const entry = join(outdir, `${name}.mjs`)
    const files = reachable(metafile, relative(root, entry))
    for (const file of files) {
      const from = join(root, file)
      const to = join(folder, from === entry ? 'index.mjs' : relative(outdir, from))
      copyFileSync(from, to)
      if (existsSync(`${from}.LEGAL.txt`)) copyFileSync(`${from}.LEGAL.txt`, `${to}.LEGAL.txt`)
    }
    const bytesOf = (all: ReadonlySet<string>) =>
      all.values().reduce((sum, file) => sum + metafile.outputs[file]!.bytes, 0)
    const atStart = bytesOf(reachable(metafile, relative(root, entry), 'eager'))
    return [name, { total: bytesOf(files), atStart }] as const
  })
}

/** Bundles entry points by name, as for Lambda: each to `<outdir>/<name>.mjs`, with shared chunks beside it. */
export const bundle = async (
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
  plugins: readonly Plugin[] = [],
): Promise<Metafile> => {
  const { metafile, outputFiles } = await build({
    ...nodeBundle,
    entryPoints,
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    minify: true,
    legalComments: 'linked',
    metafile: true,
    external: neverOnLambda,
    plugins: [leanPackages, ...plugins],
    write: false,
  })
  mkdirSync(outdir, { recursive: true })
  for (const { path, text } of outputFiles) {
    const lean = withoutIdleBanner(text)
    writeFileSync(path, lean)
    metafile.outputs[relative(root, path)]!.bytes = Buffer.byteLength(lean)
  }
  return metafile
}

/** Removes the banners, which esbuild adds to every chunk, from those that don't need them. */
const withoutIdleBanner = (code: string): string => {
  const banner = requireBanner + pathBanner
  if (!code.startsWith(banner)) return code
  const rest = code.slice(banner.length).trimStart()
  const needed = [
    [/\brequire\b/, requireBanner],
    [/\b__(file|dir)name\b/, pathBanner],
  ] as const
  return needed.flatMap(([word, line]) => (word.test(rest) ? [line] : [])).join('') + rest
}

/**
 * Optional modules and fallbacks of packages that Lambda never needs: credentials are in its environment, its Node supports the SIMD
 * build of undici's parser, and addons (of ssh2) are built for the machine that deploys.
 */
const neverOnLambda = [
  '*.node',
  '*/llhttp-wasm.js',
  'bowser',
  ...['sso', 'ini', 'process', 'web-identity', 'login'].map(kind => `@aws-sdk/credential-provider-${kind}`),
  '@smithy/credential-provider-imds',
]

/** The output files that an entry imports, itself first: all, or only those that it imports statically. */
const reachable = ({ outputs }: Metafile, entry: string, when: 'ever' | 'eager' = 'ever'): Set<string> => {
  const found = new Set([entry])
  for (const file of found)
    for (const { path, kind, external } of outputs[file]?.imports ?? [])
      if (!external && path in outputs && (when === 'ever' || kind !== 'dynamic-import')) found.add(path)
  return found
}
