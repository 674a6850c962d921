import { cloneNode, cloneShared, type YamlNode } from '../../yaml/node.ts'
import type { Resource } from '../resource.ts'
import type { Schema } from '../schema/schema.ts'

/** Resources as they are now, to be had again and again. */
export class KeptResources {
  private readonly resources: readonly Resource[]
  /** Whether nodes stand in several places, which copies must keep: changing one changes all. */
  private readonly isShared: boolean

  constructor(resources: readonly Resource[]) {
    const made = new Map<YamlNode, YamlNode>()
    this.resources = copiesOf(resources, node => cloneShared(node, made))
    this.isShared = resources.reduce((sum, { node }) => sum + placesIn(node), 0) > made.size
  }

  /** Independent copies for a build with that schema. */
  copies(schema: Schema): Resource[] {
    if (!this.isShared) return copiesOf(this.resources, cloneNode, schema)
    const made = new Map<YamlNode, YamlNode>()
    return copiesOf(this.resources, node => cloneShared(node, made), schema)
  }
}

const copiesOf = (resources: readonly Resource[], copy: (node: YamlNode) => YamlNode, schema?: Schema): Resource[] =>
  resources.map(resource => resource.copyWith(resource.node && copy(resource.node), schema ?? resource.schema))

/** How many places of a document hold a node; endless when some point at others. */
const placesIn = (node: YamlNode | undefined): number => {
  if (!node) return 0
  // An alias may point at what it stands in.
  if (node.alias) return Number.POSITIVE_INFINITY
  let places = 1
  for (const inner of node.content) places += placesIn(inner)
  return places
}
