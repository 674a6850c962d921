import type { Budget } from '../../../foundations/budget/budget.ts'
import { mapNode, scalarNode, stringNode, type YamlNode } from '../../yaml/node.ts'
import { lookupSteps } from '../../yaml/tree-size.ts'
import { asBehavior } from '../build-annotations.ts'
import type { GeneratorEntry, GeneratorOptions } from '../kustomization.ts'
import { KustomizeError } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'
import { createPath, setFieldOf } from '../node-path.ts'
import { Resource, type ResourceOrigin } from '../resource.ts'
import type { Schema } from '../schema/schema.ts'
import { encodeBase64 } from './base64.ts'
import { type DataPairs, readPairs } from './data-pairs.ts'

export interface GeneratorContext {
  readonly loader: Loader
  readonly schema: Schema
  readonly budget: Budget
  readonly origin: ResourceOrigin
}

/** Generates the ConfigMap of a configMapGenerator entry. */
export const generateConfigMap = (entry: GeneratorEntry, context: GeneratorContext): Resource => {
  const root = baseObject('ConfigMap', entry)
  addConfigMapData(root, pairsOf(entry, context))
  return finished(root, entry, context)
}

/** Generates the Secret of a secretGenerator entry. */
export const generateSecret = (entry: GeneratorEntry, context: GeneratorContext): Resource => {
  const root = baseObject('Secret', entry)
  setFieldOf(root, 'type', stringNode(entry.type || 'Opaque'))
  const data = createPath(root, ['data'], 'map')!
  for (const [key, value] of pairsOf(entry, context)) setFieldOf(data, key, stringNode(encodeBase64(value)))
  return finished(root, entry, context)
}

/** Reads the data and pays for all of it: one text may be used many times in a kustomization file. */
const pairsOf = (entry: GeneratorEntry, { loader, budget, origin }: GeneratorContext): DataPairs => {
  const pairs = readPairs(entry, loader)
  for (const [, value] of pairs) budget.spend('bytes', value.length, origin.file)
  budget.spend('nodes', 2 * pairs.size, origin.file)
  budget.spend('steps', lookupSteps(pairs.size, pairs.size), origin.file)
  return pairs
}

/** Text goes to `data`, anything else to `binaryData`. */
const addConfigMapData = (root: YamlNode, pairs: DataPairs): void => {
  for (const [key, value] of pairs) {
    const text = typeof value === 'string'
    const map = createPath(root, [text ? 'data' : 'binaryData'], 'map')!
    setFieldOf(map, key, stringNode(text ? value : encodeBase64(value)))
  }
}

const baseObject = (kind: string, { name, namespace }: GeneratorEntry): YamlNode => {
  if (!name) throw new KustomizeError('a configmap must have a name', { field: 'name' })
  const root = mapNode([stringNode('apiVersion'), stringNode('v1'), stringNode('kind'), stringNode(kind)])
  const metadata = createPath(root, ['metadata'], 'map')!
  setFieldOf(metadata, 'name', stringNode(name))
  if (namespace) setFieldOf(metadata, 'namespace', stringNode(namespace))
  return root
}

const finished = (root: YamlNode, entry: GeneratorEntry, { schema, origin }: GeneratorContext): Resource => {
  const { labels = {}, annotations = {}, immutable, disableNameSuffixHash } = entry.options ?? {}
  for (const [key, value] of Object.entries(labels))
    setFieldOf(createPath(root, ['metadata', 'labels'], 'map')!, key, stringNode(value))
  for (const [key, value] of Object.entries(annotations))
    setFieldOf(createPath(root, ['metadata', 'annotations'], 'map')!, key, stringNode(value))
  if (immutable) setFieldOf(root, 'immutable', scalarNode('true', '!!bool'))
  const resource = new Resource(root, schema, origin)
  resource.remember({ needsHash: !disableNameSuffixHash, behavior: asBehavior(entry.behavior) })
  return resource
}

/** Merges a generator's own options with the file's global ones. */
export const withGlobalOptions = (entry: GeneratorEntry, global: GeneratorOptions | undefined): GeneratorEntry => {
  if (!global) return entry
  const own = entry.options ?? {}
  return {
    ...entry,
    options: {
      labels: { ...global.labels, ...own.labels },
      annotations: { ...global.annotations, ...own.annotations },
      disableNameSuffixHash: own.disableNameSuffixHash || global.disableNameSuffixHash,
      immutable: own.immutable || global.immutable,
    },
  }
}
