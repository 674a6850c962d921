import { field, type YamlNode } from '../../yaml/node.ts'
import { scalarToJson } from '../../yaml/scalar-to-json.ts'
import { KustomizeError } from '../kustomize-error.ts'
import type { Resource } from '../resource.ts'
import { effectiveNamespace, idString, type ResourceId } from '../resource-id.ts'

/** A resource that others may refer to, with the data needed to find it. */
export interface Candidate {
  readonly resource: Resource
  readonly id: ResourceId
  readonly previous: readonly ResourceId[]
  readonly name: string
  readonly namespace: string
  readonly originalNamespace: string
  /** Equal for candidates that every reference treats as the same. */
  readonly identity: () => string
}

const candidateOf = (resource: Resource): Candidate => ({
  resource,
  id: resource.currentId(),
  previous: resource.previousIds(),
  name: resource.name,
  namespace: resource.namespace,
  originalNamespace: effectiveNamespace(resource.originalId()),
  identity: resource.identity(),
})

/** All resources that can be referred to. */
export class Candidates {
  /** By every previous name; references to a resource without previous names are already right. */
  readonly byName = new Map<string, Candidate[]>()
  private readonly resources: readonly Resource[]
  private byOriginal: Map<string, Candidate[]> | undefined
  private readonly fingerprints = new Map<string, string>()

  constructor(resources: readonly Resource[]) {
    this.resources = resources
    for (const resource of resources) {
      if (resource.previous.length === 0) continue
      const candidate = candidateOf(resource)
      for (const name of new Set(resource.previous.map(id => id.name))) {
        const list = this.byName.get(name)
        if (list) list.push(candidate)
        else this.byName.set(name, [candidate])
      }
    }
  }

  /** Equal as long as the resources with that name look the same to every referrer. */
  fingerprint(name: string): string {
    let fingerprint = this.fingerprints.get(name)
    if (fingerprint === undefined) {
      fingerprint = (this.byName.get(name) ?? []).map(({ identity }) => identity()).join()
      this.fingerprints.set(name, fingerprint)
    }
    return fingerprint
  }

  /** All that were originally in a namespace, whatever their names. */
  originallyIn(namespace: string): readonly Candidate[] {
    this.byOriginal ??= Map.groupBy(this.resources.map(candidateOf), candidate => candidate.originalNamespace)
    return this.byOriginal.get(namespace) ?? []
  }
}

/** The candidates that a resource can refer to: in its namespace or cluster-scoped; for role bindings also in their subjects' namespaces. */
export const reachableFrom = (referrer: Resource): ((candidate: Candidate) => boolean) => {
  const id = referrer.currentId()
  if (id.clusterScoped) return () => true
  const own = effectiveNamespace(id)
  const others = subjectNamespaces(referrer)
  return candidate =>
    candidate.id.clusterScoped || effectiveNamespace(candidate.id) === own || others.has(candidate.namespace)
}

const subjectNamespaces = (resource: Resource): Set<string> => {
  const namespaces = new Set<string>()
  if (resource.kind !== 'RoleBinding') return namespaces
  for (const subject of field(resource.view, 'subjects')?.content ?? []) {
    const namespace = field(subject, 'namespace')
    if (!namespace || field(subject, 'kind')?.value !== 'ServiceAccount') continue
    if (!isText(namespace))
      throw new KustomizeError(
        `Invalid Input: namespace is blank for resource ${JSON.stringify(idString(resource.currentId()))}\n`,
        { file: resource.origin.file, field: 'subjects' },
      )
    namespaces.add(namespace.value)
  }
  return namespaces
}

/** Whether a scalar is a string; one that a transformer wrote has no tag. */
const isText = (node: YamlNode): boolean => node.kind === 'scalar' && typeof scalarToJson(node, 'kyaml') === 'string'
