/** Objects as readers see them: with the defaults that the schema of their kind gives by now, as an API server reads from etcd. */
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { versionOf } from '../../foundations/kinds/object.ts'
import { withDefaults } from '../../foundations/kinds/schema/defaults.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'

/** Fills in defaults; an object that lacks none is the very same. */
export type Complete = (object: KubernetesObject) => KubernetesObject

const completing = new WeakMap<Kind, Complete | undefined>()

/**
 * For kinds that a CustomResourceDefinition defines, which may gain defaults after objects were stored; undefined where
 * there is nothing to fill in. Built-in kinds are stored with their defaults, and are read as they are.
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
