import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refKey } from '../../foundations/kinds/object.ts'
import type { KeyScope, Keys } from '../../platform/ports/keys.ts'
import type { ChangeEvent, StoredObject } from '../../platform/ports/objects.ts'
import type { Listed } from './hub.ts'

const sealedPrefix = 'sealed:'
/** Size of the cache of parsed objects, in characters of JSON: some hundred to a thousand objects, about 10 MB. */
const cacheLimit = 2_000_000

interface Cached {
  readonly object: KubernetesObject
  readonly version: string
}

/** Stored form of objects: JSON without the resourceVersion, which is the record's, and encrypted if required. */
export interface RecordCodec {
  encode(kind: Kind, object: KubernetesObject): Promise<string>
  decode(kind: Kind, stored: StoredObject): Promise<KubernetesObject>
  /** The body before an update, at the update's version. */
  decodeBefore(change: ChangeEvent): Promise<KubernetesObject>
  /** For list items: neither parsed nor cached before it is used. */
  listed(stored: StoredObject): Promise<Listed<KubernetesObject>>
  /** Caches what was just written, so that the next reader need not parse it; returns the object at its new version. */
  remember(kind: Kind, object: KubernetesObject, stored: StoredObject): KubernetesObject
}

/**
 * Kinds with sealed fields are encrypted as a whole: annotations (`last-applied-configuration`) and field managers' keys would reveal the
 * data. Their objects are never cached: a record is decrypted for each reader, and dropped when its last reader is done.
 */
export const recordCodec = (keys: Keys): RecordCodec => {
  /** The latest known version of each object. */
  const cache = new RecentlyUsed<Cached>(cacheLimit)

  const known = ({ ref, version }: StoredObject): KubernetesObject | undefined => {
    const found = cache.peek(refKey(ref))
    return found?.version === version ? found.object : undefined
  }

  const keep = ({ ref, version, body }: StoredObject, object: KubernetesObject) => {
    const key = refKey(ref)
    const older = cache.peek(key)
    if (!older || !isLater(older.version, version)) cache.set(key, { object, version }, body.length)
  }

  const open = async (body: string, ref: ObjectRef): Promise<string> => {
    if (!body.startsWith(sealedPrefix)) return body
    const plain = await keys.open(Buffer.from(body.slice(sealedPrefix.length), 'base64'), refKey(ref), scopeOf(ref))
    return Buffer.from(plain).toString('utf8')
  }

  const parse = async (body: string, { ref, version }: StoredObject) => parsed(await open(body, ref), version)

  const current = sharedWhileUsed((stored: StoredObject) => parse(stored.body, stored))
  const replaced = sharedWhileUsed(({ before, object }: ChangeEvent) => parse(before!, object))

  return {
    async encode(kind, object) {
      const { apiVersion, kind: name, metadata, ...content } = atVersion(object, undefined)
      const text = JSON.stringify({ apiVersion, kind: name, metadata, ...content })
      if (!kind.sealedFields?.length) return text
      const ref = refIn(kind, object)
      const sealed = await keys.seal(Buffer.from(text), refKey(ref), scopeOf(ref))
      return sealedPrefix + Buffer.from(sealed).toString('base64')
    },

    async decode(kind, stored) {
      if (kind.sealedFields?.length) return current(stored)
      const found = known(stored)
      if (found) return found
      const object = await parse(stored.body, stored)
      keep(stored, object)
      return object
    },

    decodeBefore: replaced,

    async listed(stored) {
      const { version } = stored
      const text = await open(stored.body, stored.ref)
      let object = known(stored)
      return {
        get json() {
          return textAtVersion(text, version) ?? JSON.stringify(parsed(text, version))
        },
        get object() {
          object ??= parsed(text, version)
          return object
        },
      }
    },

    remember(kind, object, stored) {
      const current = atVersion(object, stored.version)
      if (!kind.sealedFields?.length) keep(stored, current)
      return current
    },
  }
}

/**
 * Creates one result per source for all concurrent users, such as the watchers of one change; drops it when no one uses it any more, since
 * it may contain secrets.
 */
const sharedWhileUsed = <S extends object, T extends object>(make: (source: S) => Promise<T>) => {
  const shared = new WeakMap<S, Promise<T> | WeakRef<T>>()
  return (source: S): Promise<T> => {
    const known = shared.get(source)
    if (known instanceof Promise) return known
    const made = known?.deref()
    if (made) return Promise.resolve(made)
    const making = make(source)
    shared.set(source, making)
    making.then(
      thing => shared.set(source, new WeakRef(thing)),
      () => shared.delete(source),
    )
    return making
  }
}

/** Sealed fields hold secrets: the right to decrypt those of one namespace must not include those of others. */
const scopeOf = ({ namespace }: ObjectRef): KeyScope => ({ purpose: 'secrets', namespace })

/** Versions are decimal integers without leading zeros, and may exceed exact numbers. */
const isLater = (version: string, than: string): boolean =>
  version.length === than.length ? version > than : version.length > than.length

const refIn = ({ group, kind }: Kind, { metadata }: KubernetesObject): ObjectRef => ({
  group,
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})

const parsed = (text: string, version: string): KubernetesObject =>
  atVersion(JSON.parse(text) as KubernetesObject, version)

const atVersion = (object: KubernetesObject, resourceVersion: string | undefined): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
})

/** The start of the output of `encode`. */
const opening = /^\{"apiVersion":"[^"\\]*","kind":"[^"\\]*","metadata":\{(?=")/

/** The text of an object at a version, without parsing it; undefined if it was written in another order. */
const textAtVersion = (text: string, version: string): string | undefined => {
  const [begin] = opening.exec(text) ?? []
  return begin && `${begin}"resourceVersion":"${version}",${text.slice(begin.length)}`
}
