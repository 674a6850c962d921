import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Plugin } from 'esbuild'

/**
 * Packages whose index loads all that they have, and an index of that which is used here. esbuild tells when something is
 * imported from one that it does not have.
 */
const indexes: Readonly<Record<string, string>> = {
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
    import connect from 'undici/lib/api/api-connect.js'
    import request from 'undici/lib/api/api-request.js'
    Object.assign(Dispatcher.prototype, { connect, request })
    export { default as Agent } from 'undici/lib/dispatcher/agent.js'
    export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js'
    export { default as buildConnector } from 'undici/lib/core/connect.js'`,
  ssh2: `
    import Client from 'ssh2/lib/client.js'
    import { parseKey } from 'ssh2/lib/protocol/keyParser.js'
    export default { Client, utils: { parseKey } }`,
  'prom-client': `
    export { default as Counter } from 'prom-client/lib/counter.js'
    export { default as Gauge } from 'prom-client/lib/gauge.js'
    export { default as Histogram } from 'prom-client/lib/histogram.js'
    export { default as Registry } from 'prom-client/lib/registry.js'`,
  // OpenSSH keys with a passphrase take one hash of it, which Node has.
  tweetnacl: `
    import { createHash } from 'node:crypto'
    const crypto_hash = (digest, data, length) => digest.set(createHash('sha512').update(data.subarray(0, length)).digest())
    export const lowlevel = { crypto_hash }`,
}

interface Unreached {
  readonly package: string
  /** As it is imported. */
  readonly modules: RegExp
  /** What it must have nevertheless, for who asks it first. */
  readonly instead?: string
}

const { ERROR, TYPE } = createRequire(import.meta.url)('undici/lib/llhttp/constants.js') as Record<string, object>

/** Modules that packages load, and that nothing here reaches. */
const unreached: readonly Unreached[] = [
  // Bodies as FormData and an experiment of undici; a proxy is spoken to over sockets of our own.
  { package: 'undici', modules: /\/(web\/.*|socks5-proxy-agent)$/ },
  // Of the parser's tables, what undici's client reads: which message comes, and how its parsing ended.
  {
    package: 'undici',
    modules: /\/llhttp\/constants\.js$/,
    instead: `module.exports = ${JSON.stringify({ ERROR, TYPE })}`,
  },
  // Files over SSH; other programs that hold keys.
  { package: 'ssh2', modules: /\/SFTP\.js$/ },
  { package: 'ssh2', modules: /\/agent\.js$/, instead: 'export const isAgent = () => false' },
  // A way to retry that has to be chosen, and that our clients don't choose (`retryMode` in aws-clients.ts).
  {
    package: '@smithy/core',
    modules: /\/util-retry\/AdaptiveRetryStrategy$/,
    instead: 'export const AdaptiveRetryStrategy = undefined',
  },
  // Links from metrics to traces.
  { package: 'prom-client', modules: /\/exemplar$/ },
  // Answers that go on for as long as a query does: of S3 Select, not of anything that is stored or fetched.
  ...['@aws-sdk/client-s3', '@smithy/core'].map(name => ({
    package: name,
    modules: /^@smithy\/core\/event-streams$/,
    instead: `
      export const resolveEventStreamSerdeConfig = config => config
      export const eventStreamSerdeProvider = undefined
      export const EventStreamSerde = undefined`,
  })),
]

/**
 * The shapes of all that a service of AWS takes and answers: lists, which esbuild keeps since their keys are computed. Made by
 * functions that are marked as pure they go where nobody asks for them.
 */
const shapes = /^((?:export )?(?:var|const) [\w$]+ = )(\[[^;]*\]);$/gm
const shaken = (code: string, isNamed: (error: string) => boolean): string =>
  code
    .replaceAll(shapes, '$1/* @__PURE__ */ (() => $2)();')
    .replaceAll(registration, (line, error: string) => (isNamed(error) ? line : ''))

/**
 * A service registers a class for each error that it may return, a tenth of its client. An error without a class still has its name,
 * message and fields: it is one of the service's base class.
 */
const registration = /^n0_registry\.registerError\((\w+)\$, \1\);$/gm

/** Bytes as an expression. A WebAssembly program takes a third of the size of its base64, a schema a quarter of its JSON; unpacked in a millisecond. */
const packed = (bytes: Buffer): string =>
  `require('node:zlib').brotliDecompressSync(Buffer.from('${brotliCompressSync(bytes).toString('base64')}', 'base64'))`

/** A module of undici that exports such a program. */
const packedModule = (path: string): string =>
  `module.exports = ${packed(createRequire(import.meta.url)(path) as Buffer)}`

/** A module of ssh2 with such a program in a data URL. */
const packedUrl = (code: string): string =>
  code.replace(
    /"(data:application\/octet-stream;base64,)([\w+/=]{1000,})"/,
    (_, head: string, program: string) =>
      `${JSON.stringify(head)}+${packed(Buffer.from(program, 'base64'))}.toString('base64')`,
  )

/** A JSON file, which is parsed where it is loaded. */
const packedJson = (json: Buffer): string => `export default JSON.parse(${packed(json)}.toString())`

/** Every word of our code: an error class that stands nowhere in it is handled nowhere. */
const ownWords = (): ReadonlySet<string> => {
  const cwd = join(import.meta.dirname, '..')
  const files = globSync('{lib,functions}/**/*.ts', { cwd })
  return new Set(files.flatMap(file => readFileSync(join(cwd, file), 'utf8').match(/\w+/g) ?? []))
}

/** Whether a file is of a package, which may lie within another. */
const isOf = (name: string, file: string): boolean => file.split(sep).join('/').includes(`/node_modules/${name}/`)

/** Bundles of packages what is used of them. */
export const leanPackages: Plugin = {
  name: 'lean-packages',
  setup: ({ onResolve, onLoad, resolve }) => {
    const words = ownWords()
    onResolve({ filter: new RegExp(`^(${Object.keys(indexes).join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'lean-index',
    }))
    onLoad({ filter: /.*/, namespace: 'lean-index' }, ({ path }) => ({
      contents: indexes[path]!,
      resolveDir: import.meta.dirname,
    }))
    onResolve({ filter: /^(\.|@smithy\/core\/event-streams$)/ }, ({ path, importer }) => {
      const found = unreached.find(each => isOf(each.package, importer) && each.modules.test(path))
      return found && { path: `${found.package} ${path}`, namespace: 'unreached', pluginData: found.instead }
    })
    // Two versions of the same, of which age takes the newer.
    onResolve({ filter: /^@noble\/(curves|hashes)\// }, ({ path, importer, kind }) =>
      isOf('@noble/post-quantum', importer) ? resolve(path, { kind, resolveDir: import.meta.dirname }) : undefined,
    )
    onLoad({ filter: /(@aws-sdk\/client-[a-z0-9-]+|ssh2)\/package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify({ version: JSON.parse(await readFile(path, 'utf8')).version }),
      loader: 'json',
    }))
    onLoad({ filter: /@aws-sdk\/client-[a-z0-9-]+\/dist-es\/schemas\/\w+\.js$/ }, async ({ path }) => ({
      contents: shaken(await readFile(path, 'utf8'), error => words.has(error)),
    }))
    onLoad({ filter: /undici\/lib\/llhttp\/llhttp_simd-wasm\.js$/ }, ({ path }) => ({ contents: packedModule(path) }))
    onLoad({ filter: /ssh2\/lib\/protocol\/crypto\/poly1305\.js$/ }, async ({ path }) => ({
      contents: packedUrl(await readFile(path, 'utf8')),
    }))
    onLoad({ filter: /lib\/engines\/kustomize\/schema\/kubernetes-schema\.json$/ }, async ({ path }) => ({
      contents: packedJson(await readFile(path)),
      loader: 'js',
    }))
    onLoad({ filter: /.*/, namespace: 'unreached' }, ({ pluginData }) => ({
      contents: pluginData ?? 'module.exports = {}',
    }))
  },
}
