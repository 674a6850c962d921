import { artifactOf, blobNameOf, checksumIn } from '../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { once } from '../foundations/rules/once.ts'
import type { Copy } from '../hub/runners/protocol.ts'
import type { Session } from '../hub/runners/session.ts'
import type { ArtifactStore } from '../platform/ports/artifacts.ts'
import { keptFolder } from '../reconcile/kept-builds/sealed-builds.ts'
import { extract } from '../sources/artifact/extract.ts'
import { NotVerified } from '../sources/verify/not-verified.ts'
import type { TrustedKey } from '../sources/verify/public-key.ts'
import { type SignedAs, verifySignedTree } from '../sources/verify/signed-tree.ts'
import type { RunnerFolder } from './runner-folder.ts'

/** Artifacts of the hub, kept as long as they are the newest of their folder. */
export const fetchedFrom = (session: Pick<Session, 'artifact'>, kept: ArtifactStore): ArtifactStore => ({
  ...kept,
  get: async name => {
    const known = await kept.get(name)
    if (known || !isArtifact(name)) return known
    const content = await session.artifact(name)
    if (!content) return undefined
    await kept.put(name, content)
    for await (const { name: other } of kept.list(folderOf(name))) if (other !== name) await kept.delete(other)
    return content
  },
})

/**
 * The store with what the plan of a pull request is made of, each fetched once. Nothing of a head is kept: neither it nor what is built of it may replace what
 * passes use. With `keys` each must bear a signature, or the read fails with NotVerified. When it was signed means nothing: it is not applied.
 */
export const withHeads = (
  artifacts: ArtifactStore,
  names: readonly string[],
  session: Pick<Session, 'artifact'>,
  keys: readonly TrustedKey[],
): ArtifactStore => {
  const fetched = async (name: string): Promise<Uint8Array | undefined> => {
    const content = await session.artifact(name)
    if (content && keys.length > 0) verifySignedTree(await extract(content), keys)
    return content
  }
  const heads = new Map(names.map(name => [name, once(() => fetched(name))]))
  return {
    ...artifacts,
    get: async name => (heads.get(name) ?? (() => artifacts.get(name)))(),
    put: async () => {},
    delete: async () => {},
  }
}

/**
 * The store of a runner that demands signatures: what it keeps of its builds is in a folder of its own. Those that it has kept before it demanded any
 * may be of unsigned sources, and are not found.
 */
export const storedApart = (artifacts: ArtifactStore): ArtifactStore => ({
  ...artifacts,
  get: name => artifacts.get(apart(name)),
  put: (name, content) => artifacts.put(apart(name), content),
  delete: name => artifacts.delete(apart(name)),
  async *list(folder) {
    const prefix = apart(folder).slice(0, -folder.length)
    for await (const { name, ...rest } of artifacts.list(apart(folder)))
      yield { name: name.slice(prefix.length), ...rest }
  },
})

const apart = (name: string): string => (name.startsWith(keptFolder) ? `verified/${name}` : name)

/** What a hub hands out: in no other folder than that of a source, or it could replace what the runner keeps to itself. */
const isArtifact = (name: string): boolean => checksumIn(name) !== undefined
const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/') + 1)

/** Artifacts of which the author's signature is demanded, in the order of signing. */
export interface SignedArtifacts {
  /** Fails with NotVerified for what is not signed, or older than what it has served before. */
  readonly store: ArtifactStore
  /** The copy without artifacts that are known to be older: nothing that was made of them is used again. */
  withoutOlder(copy: Copy): Copy
}

/**
 * The store with verification against `keys`. `order` remembers, also after a restart, which revision of each source
 * was signed last, so that nobody can bring back an older one.
 */
export const signedArtifacts = (
  artifacts: ArtifactStore,
  keys: readonly TrustedKey[],
  order: Pick<RunnerFolder, 'signedAt' | 'keepSignedAt'>,
): SignedArtifacts => {
  /** By name, whose content doesn't change: all that caches of this process may hold. */
  const signed = new Map<string, SignedAs>()
  const isOlder = ({ name, signedAt }: SignedAs): boolean => signedAt < (order.signedAt(name) ?? 0)

  const require = async (name: string, content: Uint8Array): Promise<void> => {
    const as = signed.get(name) ?? verifySignedTree(await extract(content), keys)
    signed.set(name, as)
    if (isOlder(as)) throw new NotVerified(olderMessage(as))
    if (as.signedAt !== order.signedAt(as.name)) await order.keepSignedAt(as.name, as.signedAt)
  }
  const shown = (object: KubernetesObject): KubernetesObject => {
    const artifact = artifactOf(object)
    const as = artifact && signed.get(blobNameOf(artifact))
    if (!as || !isOlder(as)) return object
    const { artifact: _, ...status } = object.status as Readonly<Record<string, unknown>>
    return { ...object, status }
  }
  return {
    store: {
      ...artifacts,
      get: async name => {
        if (name.startsWith(keptFolder)) return artifacts.get(name)
        // A cached build of an earlier process may be of an older revision.
        if (!isArtifact(name)) return undefined
        const content = await artifacts.get(name)
        if (content) await require(name, content)
        return content
      },
    },
    withoutOlder: copy => ({ ...copy, others: copy.others.map(shown) }),
  }
}

const olderMessage = ({ name, signedAt }: SignedAs): string =>
  `${name} was signed at ${new Date(signedAt).toISOString()}, and a later revision of it was applied before`
