import { hash } from 'node:crypto'
import { BuildCache } from '../../../engines/kustomize/build.ts'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import { parseYaml } from '../../../engines/yaml/parse.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { ArtifactStore } from '../../../platform/ports/artifacts.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { KeyScope, Keys } from '../../../platform/ports/keys.ts'
import type { Trace } from './traced-files.ts'
import { isUnchangedFor, traceReads } from './traced-files.ts'

/** An object as kustomize built it, as YAML, and the file it came from, for messages. */
export interface Manifest {
  readonly object: KubernetesObject
  readonly yaml: string
  readonly origin: string
  /** Values of it were encrypted in the source. */
  readonly isDecrypted?: true
}

interface BuildInputs {
  /** Everything that the build depends on besides the files. Equal keys mean equal builds of equal files. */
  readonly key: string
  /** The digest of the source's artifact. */
  readonly digest: string
  readonly files: FileSystem
  /** Cancels the build, for this caller. */
  readonly signal?: AbortSignal | undefined
}

export interface Rendered {
  readonly manifests: readonly Manifest[]
  /** Nothing came from the network or a program: equal files mean an equal result. */
  readonly isRepeatable: boolean
}

/** Builds; `memory` is the cache of the previous build. */
type Render = (files: FileSystem, memory?: BuildCache) => Promise<Rendered>
export type CachedBuild = (inputs: BuildInputs, render: Render) => Promise<readonly Manifest[]>

/** Builds every time. */
export const uncachedBuild: CachedBuild = async ({ files }, render) => (await render(files)).manifests

/** Manifests kept in memory, in bytes of their text; as objects they take several times as much. */
const maxBytes = 12 * 1024 * 1024

/** The memory of a build, as a multiple of the size of its objects. */
const copiesInMemory = 3

interface Known extends Rendered {
  readonly trace: Trace
  readonly bytes: number
  /** It took long: the next build reuses the unchanged parts. */
  readonly isSlow: boolean
  readonly memory?: BuildCache
  /** Digests of artifacts that are known to build alike. */
  digest: string
}

export interface BuildCachePorts {
  readonly artifacts: ArtifactStore
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
}

/** Repeating quicker builds is cheaper than a write to the store. Milliseconds. */
const worthStoringMs = 100

const scope: KeyScope = { purpose: 'builds' }

/** The version of stored builds: earlier ones do not contain which objects were decrypted. */
const form = 2

/**
 * Makes each build once, except one that read from the network or a program. A build is valid for every artifact in which the files it
 * read are the same, so that a push to a monorepo rebuilds only what it touches. Results are cached in memory, and slow builds also in the artifact
 * store, encrypted, where other processes find them by a name derived from the inputs.
 */
export const createBuildCache = (
  { artifacts, keys, clock }: BuildCachePorts,
  storedFromMs: number = worthStoringMs,
): CachedBuild => {
  /** By key, the most recently used last. */
  const known = new Map<string, Known>()
  const underWay = new Map<string, { readonly build: Promise<Known>; readonly signal: AbortSignal | undefined }>()
  let bytes = 0

  const remember = (key: string, build: Known): void => {
    bytes += build.bytes - (known.get(key)?.bytes ?? 0)
    known.delete(key)
    known.set(key, build)
    for (const [oldest, { bytes: freed }] of known) {
      if (bytes <= maxBytes) return
      known.delete(oldest)
      bytes -= freed
    }
  }

  /** A build that can't be decrypted, for instance after the keys were replaced, is repeated. */
  const openStored = async (name: string): Promise<Stored | undefined> => {
    const sealed = await artifacts.get(name)
    const plain = sealed && (await keys.open(sealed, name, scope).catch(() => undefined))
    return plain && decode(plain)
  }

  const obtain = async ({ key, digest, files }: BuildInputs, render: Render, last?: Known): Promise<Known> => {
    const name = `build/${hash('sha256', `${form}\n${key}\n${digest}`)}`
    const stored = await openStored(name)
    if (stored) return { ...stored, bytes: sizeOf(stored.manifests), digest, isRepeatable: true, isSlow: true }
    const startedAt = clock.now()
    const traced = traceReads(files)
    const memory = last?.isSlow ? (last.memory ?? new BuildCache()) : undefined
    const { manifests, isRepeatable } = await render(traced.files, memory)
    const build = { manifests, trace: traced.trace() }
    const isSlow = memory !== undefined || clock.now() - startedAt >= storedFromMs
    if (isRepeatable && isSlow) await artifacts.put(name, await keys.seal(encode(build), name, scope))
    const bytes = sizeOf(manifests) * (memory ? 1 + copiesInMemory : 1)
    return { ...build, bytes, digest, isRepeatable, isSlow, ...(memory && { memory }) }
  }

  const cached: CachedBuild = async (inputs, render) => {
    const { key, digest, files, signal } = inputs
    const last = known.get(key)
    if (last && (last.digest === digest || isUnchangedFor(files, last.trace))) {
      last.digest = digest
      remember(key, last)
      return last.manifests
    }
    const work = `${key}\n${digest}`
    const others = underWay.get(work)
    if (others) {
      try {
        return (await others.build).manifests
      } catch (error) {
        signal?.throwIfAborted()
        // The caller that started it has canceled; this one still needs it.
        if (others.signal?.aborted) return cached(inputs, render)
        throw error
      }
    }
    const own = { build: obtain(inputs, render, last), signal }
    underWay.set(work, own)
    try {
      const build = await own.build
      if (build.isRepeatable) remember(key, build)
      return build.manifests
    } finally {
      underWay.delete(work)
    }
  }
  return cached
}

/** A build in the store. */
type Stored = Pick<Known, 'manifests' | 'trace'>

const encode = ({ manifests, trace }: Stored): Uint8Array =>
  Buffer.from(JSON.stringify({ trace, manifests: manifests.map(({ object, ...text }) => text) }))

const decode = (plain: Uint8Array): Stored => {
  const { trace, manifests: texts } = JSON.parse(Buffer.from(plain).toString()) as Pick<Known, 'trace'> & {
    readonly manifests: readonly Omit<Manifest, 'object'>[]
  }
  return { trace, manifests: texts.map(manifestOf) }
}

const sizeOf = (manifests: readonly Manifest[]): number => manifests.reduce((sum, { yaml }) => sum + yaml.length, 0)

const manifestOf = (text: Omit<Manifest, 'object'>): Manifest => {
  const [object] = parseYaml(text.yaml)
  return { object: object as unknown as KubernetesObject, ...text }
}
