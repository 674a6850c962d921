/** What a schema implies about the size of data: maximum and minimum, within a request of 3 MiB. */
import type { StructuralSchema } from '../../../foundations/kinds/schema/schema.ts'

/** A CEL type, with the size of its data if it comes from a schema. */
export interface Shape {
  readonly type: 'list' | 'map' | 'object' | 'string' | 'bytes' | 'optional' | 'scalar' | 'dyn'
  /** For a list, map or optional. */
  readonly item?: Shape
  /** For an object. */
  readonly fields?: ReadonlyMap<string, Shape>
  /** Maximum number of items or characters; 0 for types that have neither. */
  readonly max: number
  /** Minimum size as JSON, in bytes. */
  readonly min: number
}

/** The maximum size of a request, in bytes. */
export const maxRequestBytes = 3 * 1024 * 1024
/** What remains within the surrounding brackets or quotes. */
const inside = maxRequestBytes - 2

/** The shape of data that a schema describes; undefined if CEL can't see it. `isRoot`: a resource, with kind and metadata. */
export const shapeOf = (schema: StructuralSchema, isRoot = false): Shape | undefined => {
  if (schema['x-kubernetes-int-or-string']) return { type: 'dyn', max: maxLengthOf(schema, inside), min: 1 }
  switch (schema.type) {
    case 'array':
      return listShape(schema)
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? mapShape(schema, schema.additionalProperties)
        : objectShape(schema, isRoot)
    case 'string':
      return textShape(schema)
    case 'boolean':
      return { type: 'scalar', max: 0, min: 4 }
    case 'number':
    case 'integer':
      return { type: 'scalar', max: 0, min: 1 }
  }
  return undefined
}

const nested = (schema: StructuralSchema): Shape | undefined =>
  shapeOf(schema, schema['x-kubernetes-embedded-resource'])

const listShape = ({ items, maxItems }: StructuralSchema): Shape | undefined => {
  const item = items && nested(items)
  return item && { type: 'list', item, max: maxItems ?? Math.floor(inside / (item.min + 1)), min: 2 }
}

const mapShape = ({ maxProperties }: StructuralSchema, values: StructuralSchema): Shape | undefined => {
  const item = nested(values)
  // Each value adds at least an empty key with its quotes, a colon and a comma.
  return item && { type: 'map', item, max: maxProperties ?? Math.floor(inside / (item.min + 6)), min: 2 }
}

const anyText: Shape = { type: 'string', max: inside, min: 2 }
const resourceFields: readonly (readonly [string, Shape])[] = [
  ['kind', anyText],
  ['apiVersion', anyText],
  [
    'metadata',
    {
      type: 'object',
      fields: new Map([
        ['name', anyText],
        ['generateName', anyText],
      ]),
      max: 0,
      min: 2,
    },
  ],
]

const objectShape = ({ properties = {}, required }: StructuralSchema, isRoot: boolean): Shape => {
  const fields = new Map<string, Shape>()
  let least = 2
  for (const [name, property] of Object.entries(properties)) {
    const shape = nested(property)
    if (!shape) continue
    fields.set(name, shape)
    if (required?.includes(name) && property.default === undefined) least += name.length + shape.min + 4
  }
  if (isRoot) for (const [name, shape] of resourceFields) fields.set(name, shape)
  return { type: 'object', fields, max: 0, min: least }
}

const textShape = (schema: StructuralSchema): Shape => {
  switch (schema.format) {
    case 'byte':
      return { type: 'bytes', max: schema.maxLength ?? inside, min: 2 }
    case 'duration':
      return { type: 'scalar', max: 32, min: 3 }
    case 'date':
      return { type: 'scalar', max: 12, min: 12 }
    case 'date-time':
      return { type: 'scalar', max: 32, min: 21 }
  }
  const words = (schema.enum ?? []).map(word => (typeof word === 'string' ? Buffer.byteLength(word) : 0))
  return { type: 'string', max: maxLengthOf(schema, words.length > 0 ? Math.max(...words) : inside), min: 2 }
}

/** In bytes: a character may take up to four. */
const maxLengthOf = ({ maxLength }: StructuralSchema, otherwise: number): number =>
  maxLength === undefined ? otherwise : maxLength * 4
