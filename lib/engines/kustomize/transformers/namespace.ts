import { field, isMissing, stringNode, type YamlNode } from '../../yaml/node.ts'
import { describeWithAnnotations } from '../build-annotations.ts'
import { applyFieldSpec, type FieldSpec, fieldSpec } from '../field-spec.ts'
import { KustomizeError, wrapError, wrapping } from '../kustomize-error.ts'
import { createPath, expectKind, setScalar, WrongKind } from '../node-path.ts'
import type { Resource, ResourceChange } from '../resource.ts'
import type { ResourceMap } from '../resource-map.ts'

export type SubjectMode = 'defaultOnly' | 'allServiceAccounts' | 'none'

export interface NamespaceOptions {
  readonly namespace: string
  readonly specs: readonly FieldSpec[]
  /** Only set it on resources without a namespace. */
  readonly unsetOnly?: boolean
  /** Which subjects of role bindings get the namespace; by default those named `default`. */
  readonly subjects?: SubjectMode | undefined
}

const METADATA_NAMESPACE = fieldSpec('metadata/namespace', {}, true)

/** Moves all namespaced resources to a namespace, each by `move`; their ids must stay distinct. */
export const setNamespace = (map: ResourceMap, move: ResourceChange): void => {
  const counts = new Map<string, number>()
  const count = (resource: Resource, change: 1 | -1): number => {
    const key = resource.currentKey()
    const now = (counts.get(key) ?? 0) + change
    counts.set(key, now)
    return now
  }
  for (const resource of map.list) count(resource, 1)
  for (const resource of map.list) {
    if (resource.fromHelm || resource.isEmpty) continue
    count(resource, -1)
    move(resource)
    if (count(resource, 1) !== 1) throw conflict(map, resource)
  }
}

const conflict = (map: ResourceMap, resource: Resource): KustomizeError => {
  const shown = map.byCurrentId(resource.currentId()).map(describeWithAnnotations)
  return new KustomizeError(`namespace transformation produces ID conflict: [${shown.join(' ')}]`, {
    file: resource.origin.file,
    field: 'metadata.namespace',
  })
}

/** Moves one resource to a namespace, and records its previous one. */
export const moveTo =
  (options: NamespaceOptions): ResourceChange =>
  resource => {
    resource.storePreviousId()
    applyNamespace(resource, options)
  }

/**
 * Sets the namespace of a resource, of the subjects of its role binding and of the fields of `specs`. With `unsetOnly`,
 * only where there is none. The id before is not recorded: see `moveTo`. Throws KustomizeError for fields of other
 * kinds.
 */
export const applyNamespace = (resource: Resource, options: NamespaceOptions): void => {
  const { namespace, unsetOnly, subjects } = options
  const set = (node: YamlNode): void => {
    if (unsetOnly && node.value !== '' && !isMissing(node)) return
    setScalar(node, stringNode(namespace))
  }
  const { kind, apiVersion } = resource
  let specs = options.specs.filter(
    ({ path }) => path !== 'metadata/namespace' && (apiVersion === 'v1' || path !== 'metadata/name'),
  )
  if (!resource.schema.isClusterScoped(apiVersion, kind))
    applyFieldSpec(resource, METADATA_NAMESPACE, set, { createKind: 'scalar' })
  if (isBinding(kind)) {
    specs = specs.filter(spec => !(isBinding(spec.kind) && spec.path === 'subjects/namespace'))
    wrapping('setting namespace on (cluster)role binding subjects', () => setSubjects(resource, subjects, set))
  }
  for (const spec of specs) {
    try {
      applyFieldSpec(resource, spec, set, { createKind: 'scalar', createTag: '!!str' })
    } catch (error) {
      if (isKindMismatch(error)) throw wrapError('namespace field specs must target scalar nodes', error)
      throw wrapError('namespace transformation failed', error)
    }
  }
}

const isBinding = (kind: string): boolean => kind === 'RoleBinding' || kind === 'ClusterRoleBinding'

const isKindMismatch = (error: unknown): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof WrongKind) return true
  return false
}

const setSubjects = (resource: Resource, mode: SubjectMode | undefined, set: (node: YamlNode) => void): void => {
  if (mode === 'none') return
  const [key, wanted] = mode === 'allServiceAccounts' ? ['kind', 'ServiceAccount'] : ['name', 'default']
  const subjects = field(resource.node, 'subjects')
  expectKind(subjects, 'seq')
  for (const subject of subjects?.content ?? []) {
    const found = wrapping(`looking up ${key} on (cluster)role binding subject`, () => textUnder(subject, key))
    if (found === wanted) set(createPath(subject, ['namespace'], 'scalar')!)
  }
}

const textUnder = (map: YamlNode, key: string): string | undefined => {
  expectKind(map, 'map')
  const found = field(map, key)
  expectKind(found, 'scalar')
  return found?.value
}
