import { hash } from 'node:crypto'
import type { KubernetesObject } from '../../kinds/object.ts'
import type { FileSystem } from '../../kustomize/file-system.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Keys } from '../../ports/keys.ts'
import { parseYaml } from '../../yaml/parse.ts'
import type { Trace } from './traced-files.ts'
import { looksTheSame, traceReads } from './traced-files.ts'

/** An object as kustomize built it, its text, and where it came from, for messages. */
export interface Manifest {
  readonly object: KubernetesObject
  readonly yaml: string
  readonly origin: string
}

export interface BuildInputs {
  /** All that the build depends on beside the files. Equal text means equal builds of equal files. */
  readonly key: string
  /** The digest of the source's artifact. */
  readonly digest: string
  readonly files: FileSystem
}

export type Render = (files: FileSystem) => Promise<readonly Manifest[]>
export type CachedBuild = (inputs: BuildInputs, render: Render) => Promise<readonly Manifest[]>

/** Manifests that are kept in memory, in bytes of their JSON. */
const keptBytes = 32 * 1024 * 1024

interface Known {
  readonly manifests: readonly Manifest[]
  readonly trace: Trace
  readonly bytes: number
  /** Digests of artifacts that are known to build alike. */
  digest: string
}

/**
 * Builds each thing once. A build holds for every artifact in which the files that it read are the same, so that a push to
 * a monorepo builds anew only what it touches. Results are kept in memory and, sealed, in the artifact store: there they
 * are found by other processes, under a name made of the inputs.
 */
export const createBuildCache = (artifacts: ArtifactStore, keys: Keys): CachedBuild => {
  /** By key, the one used last at the end. */
  const known = new Map<string, Known>()
  const underWay = new Map<string, Promise<Known>>()
  let bytes = 0

  const remember = (key: string, build: Known): void => {
    bytes += build.bytes - (known.get(key)?.bytes ?? 0)
    known.delete(key)
    known.set(key, build)
    for (const [oldest, { bytes: freed }] of known) {
      if (bytes <= keptBytes) return
      known.delete(oldest)
      bytes -= freed
    }
  }

  const obtain = async ({ key, digest, files }: BuildInputs, render: Render): Promise<Known> => {
    const name = `build/${hash('sha256', `${key}\n${digest}`)}`
    const sealed = await artifacts.get(name)
    if (sealed) return { ...decode(await keys.open(sealed, name)), digest }
    const traced = traceReads(files)
    const manifests = await render(traced.files)
    const build = { manifests, trace: traced.trace() }
    const plain = encode(build)
    await artifacts.put(name, await keys.seal(plain, name))
    return { ...build, bytes: plain.byteLength, digest }
  }

  return async (inputs, render) => {
    const { key, digest, files } = inputs
    const last = known.get(key)
    if (last && (last.digest === digest || looksTheSame(files, last.trace))) {
      last.digest = digest
      remember(key, last)
      return last.manifests
    }
    const work = `${key}\n${digest}`
    const obtained = underWay.get(work) ?? obtain(inputs, render)
    underWay.set(work, obtained)
    try {
      const build = await obtained
      remember(key, build)
      return build.manifests
    } finally {
      underWay.delete(work)
    }
  }
}

/** Deletes stored builds that have not been made or used for the store since a time (ms since the epoch). */
export const collectBuilds = async (artifacts: ArtifactStore, olderThan: number): Promise<void> => {
  for await (const { name, storedAt } of artifacts.list('build/')) {
    if (storedAt < olderThan) await artifacts.delete(name)
  }
}

const encode = ({ manifests, trace }: Pick<Known, 'manifests' | 'trace'>): Uint8Array =>
  Buffer.from(JSON.stringify({ trace, manifests: manifests.map(({ yaml, origin }) => ({ yaml, origin })) }))

const decode = (plain: Uint8Array): Omit<Known, 'digest'> => {
  const { trace, manifests } = JSON.parse(Buffer.from(plain).toString()) as Pick<Known, 'trace'> & {
    readonly manifests: readonly Omit<Manifest, 'object'>[]
  }
  return { trace, manifests: manifests.map(({ yaml, origin }) => manifestOf(yaml, origin)), bytes: plain.byteLength }
}

const manifestOf = (yaml: string, origin: string): Manifest => {
  const [object] = parseYaml(yaml)
  return { object: object as unknown as KubernetesObject, yaml, origin }
}
