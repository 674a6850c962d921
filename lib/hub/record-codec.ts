import type { Kind } from '../kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../kinds/object.ts'
import { refKey } from '../kinds/object.ts'
import type { Keys } from '../ports/keys.ts'
import type { StoredObject } from '../ports/objects.ts'

const sealedPrefix = 'sealed:'
/** Characters of bodies whose parsed objects are kept: some hundred to a thousand objects, about 10 MB. */
const cacheLimit = 2_000_000

/** Objects as the store keeps them: JSON without the resourceVersion, which is the record's own, and sealed where it must be. */
export interface RecordCodec {
  encode(kind: Kind, object: KubernetesObject): Promise<string>
  decode(kind: Kind, stored: StoredObject): Promise<KubernetesObject>
  /** An earlier body of the record, given out at the record's version. */
  decodeBefore(kind: Kind, body: string, stored: StoredObject): Promise<KubernetesObject>
  /** Spares the next reader of what was just written the parsing; returns the object at its new version. */
  remember(kind: Kind, object: KubernetesObject, stored: StoredObject): KubernetesObject
}

/**
 * Kinds with sealed fields are sealed whole: annotations (`last-applied-configuration`) and field managers' keys would give
 * away what the data seals. Their objects are opened at each read and never cached.
 */
export const recordCodec = (keys: Keys): RecordCodec => {
  const cache = new Map<string, { readonly object: KubernetesObject; readonly size: number }>()
  let cached = 0

  const keep = (key: string, object: KubernetesObject, size: number) => {
    cached += size - (cache.get(key)?.size ?? 0)
    cache.set(key, { object, size })
    for (const [oldest, { size: freed }] of cache) {
      if (cached <= cacheLimit) break
      cache.delete(oldest)
      cached -= freed
    }
  }

  const open = async (body: string, ref: ObjectRef): Promise<string> => {
    if (!body.startsWith(sealedPrefix)) return body
    const plain = await keys.open(Buffer.from(body.slice(sealedPrefix.length), 'base64'), refKey(ref))
    return Buffer.from(plain).toString('utf8')
  }

  const parse = async (body: string, { ref, version }: StoredObject) =>
    atVersion(JSON.parse(await open(body, ref)) as KubernetesObject, version)

  return {
    async encode(kind, object) {
      const text = JSON.stringify(atVersion(object, undefined))
      if (!kind.sealedFields?.length) return text
      const sealed = await keys.seal(Buffer.from(text), refKey(refIn(kind, object)))
      return sealedPrefix + Buffer.from(sealed).toString('base64')
    },

    async decode(kind, stored) {
      if (kind.sealedFields?.length) return parse(stored.body, stored)
      const key = cacheKey(stored)
      const known = cache.get(key)
      if (known) return known.object
      const object = await parse(stored.body, stored)
      keep(key, object, stored.body.length)
      return object
    },

    decodeBefore: (_kind, body, stored) => parse(body, stored),

    remember(kind, object, stored) {
      const current = atVersion(object, stored.version)
      if (!kind.sealedFields?.length) keep(cacheKey(stored), current, stored.body.length)
      return current
    },
  }
}

const cacheKey = ({ ref, version }: StoredObject) => `${version}|${refKey(ref)}`

const refIn = ({ group, kind }: Kind, { metadata }: KubernetesObject): ObjectRef => ({
  group,
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})

const atVersion = (object: KubernetesObject, resourceVersion: string | undefined): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
})
