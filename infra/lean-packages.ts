import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { brotliCompressSync, deflateRawSync } from 'node:zlib'
import type { Plugin } from 'esbuild'

/**
 * Packages whose index loads everything, each with a smaller index of what is used here. If it lacks an import, esbuild
 * fails.
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
  // For OpenSSH keys with a passphrase, ssh2 uses a single hash of tweetnacl, which Node has as well.
  tweetnacl: `
    import { createHash } from 'node:crypto'
    const crypto_hash = (digest, data, length) => digest.set(createHash('sha512').update(data.subarray(0, length)).digest())
    export const lowlevel = { crypto_hash }`,
  // Endpoint discovery, which the clients here leave off.
  '@aws-sdk/endpoint-cache': 'export class EndpointCache {}',
  // TUF's roles match each part of a path by itself, which Node does as well.
  minimatch: `export { matchesGlob as minimatch } from 'node:path/posix'`,
}

interface Unreached {
  readonly package: string
  /** Matches the specifiers of its imports. */
  readonly modules: RegExp
  /** The replacement of the module, where its importers need one. */
  readonly replacement?: string
}

const { ERROR, TYPE } = createRequire(import.meta.url)('undici/lib/llhttp/constants.js') as Record<string, object>

/** Modules that packages load, but never run here. */
const unreached: readonly Unreached[] = [
  // Bodies as FormData, and undici's experimental SOCKS client: `platform/http` connects to proxies itself.
  { package: 'undici', modules: /\/(web\/.*|socks5-proxy-agent)$/ },
  // Of the parser's tables, undici's client reads only message types and errors.
  {
    package: 'undici',
    modules: /\/llhttp\/constants\.js$/,
    replacement: `module.exports = ${JSON.stringify({ ERROR, TYPE })}`,
  },
  // SFTP, and SSH agents.
  { package: 'ssh2', modules: /\/SFTP\.js$/ },
  { package: 'ssh2', modules: /\/agent\.js$/, replacement: 'export const isAgent = () => false' },
  // A retry mode that our clients don't use (`retryMode` in aws-clients.ts).
  {
    package: '@smithy/core',
    modules: /\/util-retry\/AdaptiveRetryStrategy$/,
    replacement: 'export const AdaptiveRetryStrategy = undefined',
  },
  // SHA-1, MD5 and SHA-256 in JavaScript and of browsers, for where node:crypto is missing.
  { package: '@aws-sdk/checksums', modules: /\/Sha1Js$/, replacement: 'export const Sha1Js = undefined' },
  { package: '@smithy/core', modules: /\/Md5Js$/, replacement: 'export const Md5Js = undefined' },
  {
    package: '@smithy/core',
    modules: /\/sha256\/Sha256(Js|WebCrypto)$|^\.\/Sha256Js$/,
    replacement: 'export const Sha256Js = undefined, Sha256WebCrypto = undefined',
  },
  // Streams of browsers: our clients send and receive those of Node.
  {
    package: '@smithy/core',
    modules: /^\.\/(sdk-stream-mixin|createChecksumStream|getAwsChunkedEncodingStream|stream-collector)\.browser$/,
    replacement: `
      export const sdkStreamMixin = undefined, createChecksumStream = undefined, getAwsChunkedEncodingStream = undefined
      export const collectBlob = undefined, collectReadableStream = undefined`,
  },
  // Validates what users enter for a tool (elicitation), which no tool of the hub uses.
  {
    package: '@modelcontextprotocol/server',
    modules: /\/ajvProvider-\w+\.mjs$/,
    replacement: 'export class n {}',
  },
  // Links from metrics to traces.
  { package: 'prom-client', modules: /\/exemplar$/ },
  // Event streams: S3 Select has them, and none of the operations used here.
  ...['@aws-sdk/client-s3', '@smithy/core'].map(name => ({
    package: name,
    modules: /^@smithy\/core\/event-streams$/,
    replacement: `
      export const resolveEventStreamSerdeConfig = config => config
      export const eventStreamSerdeProvider = undefined
      export const EventStreamSerde = undefined`,
  })),
]

/**
 * The schemas of an AWS service's requests and responses are lists that esbuild keeps, since their keys are computed. As results of
 * functions that are marked as pure, unused ones are dropped.
 */
const shapes = /^((?:export )?(?:var|const) [\w$]+ = )(\[[^;]*\]);$/gm
const shaken = (code: string, isNamed: (error: string) => boolean): string =>
  code
    .replaceAll(shapes, '$1/* @__PURE__ */ (() => $2)();')
    .replaceAll(registration, (line, error: string) => (isNamed(error) ? line : ''))

/**
 * A client registers a class for each error of its service, which is a tenth of its code. An error without a class still has its name,
 * message and fields: it is an instance of the service's base class.
 */
const registration = /^n0_registry\.registerError\((\w+)\$, \1\);$/gm

/** An expression for compressed bytes: a WebAssembly program takes a third of its base64, a schema a quarter of its JSON. Decompressed within a millisecond. */
const packed = (bytes: Buffer): string =>
  `require('node:zlib').brotliDecompressSync(Buffer.from('${brotliCompressSync(bytes).toString('base64')}', 'base64'))`

/** The same for what a runner needs: it has unpacked archives before, and the program text of Brotli's decoder takes 0.6 MB of it. */
const deflated = (bytes: Buffer): string =>
  `require('node:zlib').inflateRawSync(Buffer.from('${deflateRawSync(bytes, { level: 9 }).toString('base64')}', 'base64'))`

/** A module of undici that exports a WebAssembly program. */
const packedModule = (path: string): string =>
  `module.exports = ${packed(createRequire(import.meta.url)(path) as Buffer)}`

/** A module of ssh2 with such a program in a data URL. */
const packedUrl = (code: string): string =>
  code.replace(
    /"(data:application\/octet-stream;base64,)([\w+/=]{1000,})"/,
    (_, head: string, program: string) =>
      `${JSON.stringify(head)}+${packed(Buffer.from(program, 'base64'))}.toString('base64')`,
  )

/** S3's signer, which hands all requests to this class but those to access points of several regions. Nothing of a hub is behind one. */
const singleRegion = `
  import { SignatureV4SignWithCredentials } from './SignatureV4SignWithCredentials'
  export class SignatureV4MultiRegion extends SignatureV4SignWithCredentials {
    static sigv4aDependency() {
      return 'none'
    }
  }`

/** Long lists of 32-bit numbers, such as Blowfish's constants: base64 of their bytes is half as long as their digits. */
const packedNumbers = (code: string): string =>
  code.replace(/(?:new Uint32Array\(|(?<= = ))\[([\s\da-fx,]{1000,})\]\)?/g, (_, list: string) => {
    const numbers = Uint32Array.from(
      list.split(',').filter(text => text.trim()),
      Number,
    )
    const bytes = Buffer.from(numbers.buffer).toString('base64')
    return `new Uint32Array(Uint8Array.from(Buffer.from('${bytes}', 'base64')).buffer)`
  })

/** The rules by which a client of AWS finds the endpoint of its service: a graph of numbers, of which many are `r + 12`. */
const packedRules = (code: string): string => {
  const r = Number(/\br = ([\d_]+)/.exec(code)?.[1]?.replaceAll('_', ''))
  return code.replace(/new Int32Array\(\[([\s\dr+,-]+)\]\)/, (_, list: string) => {
    const numbers = list
      .split(',')
      .filter(text => text.trim())
      .map(text => (text.includes('r +') ? r + Number(text.replace(/^\s*r \+/, '')) : Number(text)))
    return `new Int32Array(JSON.parse(${packed(Buffer.from(JSON.stringify(numbers)))}.toString()))`
  })
}

/** RE2JS's tables of Unicode, unpacked with the first that is needed: few expressions need one. Its alphabet of 64 digits is needed when it is loaded. */
const packedTables = (code: string): string => {
  const tables: string[] = []
  const lean = code.replace(/"([\w+-]{65,})"/g, (_, table: string) => `unpacked()[${tables.push(table) - 1}]`)
  const all = deflated(Buffer.from(tables.join('\n')))
  return `let tables; const unpacked = () => tables ??= ${all}.toString().split('\\n');${lean}`
}

/** A JSON file, parsed when it is loaded. */
const packedJson = (json: Buffer): string => `export default JSON.parse(${deflated(json)}.toString())`

/** Every identifier in our code: an error class that it does not name is never handled. */
const ownIdentifiers = (): ReadonlySet<string> => {
  const cwd = join(import.meta.dirname, '..')
  const files = globSync('{lib,functions}/**/*.ts', { cwd })
  return new Set(files.flatMap(file => readFileSync(join(cwd, file), 'utf8').match(/\w+/g) ?? []))
}

/** Whether a file is part of a package, which may be nested in another. */
const isOf = (name: string, file: string): boolean => file.split(sep).join('/').includes(`/node_modules/${name}/`)

/** An esbuild plugin that bundles only what is used of some packages. */
export const leanPackages: Plugin = {
  name: 'lean-packages',
  setup: ({ onResolve, onLoad, resolve }) => {
    const identifiers = ownIdentifiers()
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
      return found && { path: `${found.package} ${path}`, namespace: 'unreached', pluginData: found.replacement }
    })
    // Two versions of one package are installed: age uses the newer.
    onResolve({ filter: /^@noble\/(curves|hashes)\// }, ({ path, importer, kind }) =>
      isOf('@noble/post-quantum', importer) ? resolve(path, { kind, resolveDir: import.meta.dirname }) : undefined,
    )
    // Each part of Powertools has a copy of what they share.
    onResolve({ filter: /^@aws-lambda-powertools\/commons/ }, ({ path, importer, kind }) =>
      isOf('@aws-lambda-powertools/metrics', importer)
        ? resolve(path, {
            kind,
            resolveDir: join(import.meta.dirname, '../node_modules/@aws-lambda-powertools/logger'),
          })
        : undefined,
    )
    onLoad({ filter: /signature-v4-multi-region\/dist-es\/SignatureV4MultiRegion\.js$/ }, () => ({
      contents: singleRegion,
    }))
    onLoad({ filter: /(@aws-sdk\/client-[a-z0-9-]+|ssh2)\/package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify({ version: JSON.parse(await readFile(path, 'utf8')).version }),
      loader: 'json',
    }))
    onLoad({ filter: /@aws-sdk\/client-[a-z0-9-]+\/dist-es\/schemas\/\w+\.js$/ }, async ({ path }) => ({
      contents: shaken(await readFile(path, 'utf8'), error => identifiers.has(error)),
    }))
    onLoad({ filter: /@aws-sdk\/client-(s3|dynamodb)\/dist-es\/endpoint\/bdd\.js$/ }, async ({ path }) => ({
      contents: packedRules(await readFile(path, 'utf8')),
    }))
    onLoad({ filter: /undici\/lib\/llhttp\/llhttp(_simd)?-wasm\.js$/ }, ({ path }) => ({
      contents: packedModule(path),
    }))
    onLoad({ filter: /ssh2\/lib\/protocol\/crypto\/poly1305\.js$/ }, async ({ path }) => ({
      contents: packedUrl(await readFile(path, 'utf8')),
    }))
    onLoad({ filter: /(bcrypt-pbkdf|bcryptjs)\/index\.js$/ }, async ({ path }) => ({
      contents: packedNumbers(await readFile(path, 'utf8')),
    }))
    onLoad({ filter: /re2js\/build\/index\.js$/ }, async ({ path }) => ({
      contents: packedTables(await readFile(path, 'utf8')),
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
