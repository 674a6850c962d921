/** Decodes an object as its kind: fields of the right types, no unknown ones, with defaults. */

import type { Kind, KindVersion } from '../kind.ts'
import { metadataSchema, wholeSchemaOf } from '../metadata.ts'
import type { KubernetesObject } from '../object.ts'
import { withCompactMetadata, withoutEmptyFields } from './compact.ts'
import { withDefaults } from './defaults.ts'
import { describeTypeMismatch } from './go-types.ts'
import { prune } from './prune.ts'

export interface Decoded {
  readonly object: KubernetesObject
  /** Fields that were dropped: metadata's first, then sorted. The caller warns of them or refuses the object. */
  readonly unknown: readonly string[]
}

/** The object can't be decoded as its kind: HTTP 400, with Kubernetes' message. */
export class DecodeError extends Error {
  constructor(kind: Kind, version: KindVersion, why: string) {
    super(`${kind.kind} in version "${version.name}" cannot be handled as a ${kind.kind}: ${why}`)
    this.name = 'DecodeError'
  }
}

/** `value` is parsed JSON. Fails with DecodeError if a field with a fixed type has another. */
export const decode = (
  { kind, version }: { readonly kind: Kind; readonly version: KindVersion },
  value: KubernetesObject,
): Decoded => {
  const schema = wholeSchemaOf(version)
  const mismatch = kind.native
    ? describeTypeMismatch(schema, value, kind.kind)
    : describeTypeMismatch(metadataSchema, value.metadata ?? {}, 'ObjectMeta')
  if (mismatch) throw new DecodeError(kind, version, mismatch)
  const pruned = prune(schema, value)
  const complete = withCompactMetadata(withDefaults(schema, { ...pruned.value, metadata: pruned.value.metadata ?? {} }))
  return {
    object: kind.native ? withoutEmptyContent(complete, kind) : complete,
    unknown: pruned.unknown.toSorted((a, b) => Number(isMetadata(b)) - Number(isMetadata(a))),
  }
}

const isMetadata = (field: string): boolean => field.startsWith('metadata.')

const withoutEmptyContent = (
  { apiVersion, kind, metadata, ...content }: KubernetesObject,
  { always, keptEmpty = [] }: Kind,
): KubernetesObject => ({
  apiVersion,
  kind,
  metadata,
  ...always,
  ...withoutEmptyFields(content),
  ...Object.fromEntries(keptEmpty.filter(name => content[name]).map(name => [name, content[name]])),
})
