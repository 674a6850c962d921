import { goJson } from '../yaml/go-json.ts'
import { field, stringNode } from '../yaml/node.ts'
import { clearFieldOf, createPath, setFieldOf } from './node-path.ts'
import type { GeneratorBehavior, PreviousId } from './object-snapshot.ts'
import { requireEqualCounts } from './previous-ids.ts'
import type { Resource } from './resource.ts'

/**
 * kustomize keeps the build's state of a resource in annotations, and so do plugins and files that take part. Here that state is in the
 * Resource; these functions convert at the boundary.
 */
const DOMAIN = 'internal.config.kubernetes.io'

const KEYS = {
  previousKinds: `${DOMAIN}/previousKinds`,
  previousNames: `${DOMAIN}/previousNames`,
  previousNamespaces: `${DOMAIN}/previousNamespaces`,
  prefixes: `${DOMAIN}/prefixes`,
  suffixes: `${DOMAIN}/suffixes`,
  behavior: `${DOMAIN}/generatorBehavior`,
  needsHash: `${DOMAIN}/needsHashSuffix`,
} as const

const HELM_GENERATED = `${DOMAIN}/helm-generated`

/** More of kustomize's internal annotations, which never reach the output. */
const DROPPED = [
  `${DOMAIN}/allowNameChange`,
  `${DOMAIN}/allowKindChange`,
  `${DOMAIN}/refBy`,
  `${DOMAIN}/path`,
  `${DOMAIN}/index`,
  `${DOMAIN}/seqindent`,
  `${DOMAIN}/id`,
  `${DOMAIN}/annotations-migration-resource-id`,
  'config.kubernetes.io/path',
  'config.kubernetes.io/index',
  'config.k8s.io/id',
]

const ALL = [...Object.values(KEYS), HELM_GENERATED, ...DROPPED]

/** Moves build annotations from the object into the resource's history. */
export const absorbBuildAnnotations = (resource: Resource): void => {
  const annotations = field(field(resource.node, 'metadata'), 'annotations')
  if (annotations?.kind !== 'map') return
  const found = new Map<string, string>()
  for (let i = 0; i < annotations.content.length; i += 2) {
    const key = annotations.content[i]!.value
    if (ALL.includes(key)) found.set(key, annotations.content[i + 1]!.value)
  }
  for (const key of found.keys()) clearFieldOf(annotations, key)
  restore(resource, found)
}

const restore = (resource: Resource, found: ReadonlyMap<string, string>): void => {
  const list = (key: string): string[] => found.get(key)?.split(',') ?? []
  resource.remember({
    previous: previousIds(found),
    prefixes: list(KEYS.prefixes),
    suffixes: list(KEYS.suffixes),
    behavior: asBehavior(found.get(KEYS.behavior)),
    needsHash: found.get(KEYS.needsHash) === 'enabled',
    fromHelm: found.get(HELM_GENERATED) === 'true',
  })
}

const previousIds = (found: ReadonlyMap<string, string>): PreviousId[] => {
  const names = found.get(KEYS.previousNames)?.split(',')
  if (!names) return []
  const [namespaces, kinds] = [KEYS.previousNamespaces, KEYS.previousKinds].map(key =>
    (found.get(key) ?? '').split(','),
  )
  requireEqualCounts(names.length, namespaces!.length, kinds!.length)
  return names.map((name, i) => ({ name, namespace: namespaces![i]!, kind: kinds![i]! }))
}

/** A generator's `behavior`; like kustomize, anything else counts as unset. */
export const asBehavior = (text: string | undefined): GeneratorBehavior =>
  text === 'create' || text === 'merge' || text === 'replace' ? text : ''

/** The build annotations that kustomize would have at this point. */
export const buildAnnotations = (resource: Resource): Map<string, string> => {
  const out = new Map<string, string>()
  const { previous, prefixes, suffixes } = resource
  if (prefixes.length > 0) out.set(KEYS.prefixes, prefixes.join(','))
  if (previous.length > 0) {
    out.set(KEYS.previousKinds, previous.map(id => id.kind).join(','))
    out.set(KEYS.previousNames, previous.map(id => id.name).join(','))
    out.set(KEYS.previousNamespaces, previous.map(id => id.namespace).join(','))
  }
  if (suffixes.length > 0) out.set(KEYS.suffixes, suffixes.join(','))
  if (resource.behavior) out.set(KEYS.behavior, resource.behavior)
  if (resource.needsHash) out.set(KEYS.needsHash, 'enabled')
  if (resource.fromHelm) out.set(HELM_GENERATED, 'true')
  return out
}

/** Writes the resource's history to the object's annotations, for readers outside of the build. */
export const exposeBuildAnnotations = (resource: Resource): void => {
  const entries = buildAnnotations(resource)
  if (entries.size === 0) return
  const metadata = field(resource.node, 'metadata')
  if (metadata?.kind !== 'map') return
  if (field(metadata, 'annotations')?.kind !== 'map') clearFieldOf(metadata, 'annotations')
  const annotations = createPath(metadata, ['annotations'], 'map')!
  for (const [key, value] of entries) setFieldOf(annotations, key, stringNode(value))
}

/** A resource as kustomize's messages print it: with all build annotations. */
export const describeWithAnnotations = (resource: Resource): string => {
  const copy = resource.clone()
  exposeBuildAnnotations(copy)
  return goJson(copy.toJson())
}
