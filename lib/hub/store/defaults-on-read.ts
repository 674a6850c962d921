/** Adds the defaults of the kind's current schema when objects are read, as an API server does when reading from etcd. */
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { versionOf } from '../../foundations/kinds/object.ts'
import { withDefaults } from '../../foundations/kinds/schema/defaults.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'

/** Fills in defaults; returns the same object if nothing is missing. */
export type Complete = (object: KubernetesObject) => KubernetesObject

const completing = new WeakMap<Kind, Complete | undefined>()

/**
 * For user-defined kinds, which may gain defaults after objects were stored; undefined if there are none. Objects of built-in kinds are
 * stored with their defaults.
 */
export const defaultsOnRead = (kind: Kind): Complete | undefined => {
  if (!completing.has(kind)) completing.set(kind, completeOf(kind))
  return completing.get(kind)
}

const completeOf = (kind: Kind): Complete | undefined => {
  if (!kind.isUserDefined || !kind.versions.some(({ schema }) => hasDefaults(schema))) return undefined
  const schemas = new Map(kind.versions.map(({ name, schema }) => [name, schema]))
  // Watchers of one change share its object.
  const known = new WeakMap<KubernetesObject, KubernetesObject>()
  return object => {
    const schema = schemas.get(versionOf(object.apiVersion))
    if (!schema) return object
    const found = known.get(object) ?? withDefaults(schema, object)
    known.set(object, found)
    return found
  }
}

const hasDefaults = ({ default: value, properties = {}, additionalProperties, items }: StructuralSchema): boolean =>
  value !== undefined ||
  [...Object.values(properties), additionalProperties, items].some(
    part => typeof part === 'object' && hasDefaults(part),
  )
