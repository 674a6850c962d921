import { field, isMissing, scalarNode, type YamlNode } from '../yaml/node.ts'
import { exposeBuildAnnotations } from './build-annotations.ts'
import type { NameReference } from './default-field-specs.ts'
import { applyFieldSpec, type FieldSpec } from './field-spec.ts'
import { addPath, emptyTree, type FieldTree, visitTree } from './field-tree.ts'
import { KustomizeError, wrapError } from './kustomize-error.ts'
import { setFieldOf, setScalar } from './node-path.ts'
import type { Resource } from './resource.ts'
import { effectiveNamespace, type Gvk, idString, isSelected, type ResourceId } from './resource-id.ts'

/** A resource others may refer to, with what finding it needs. */
interface Candidate {
  readonly resource: Resource
  readonly id: ResourceId
  readonly previous: readonly ResourceId[]
  readonly name: string
  readonly namespace: string
  readonly originalNamespace: string
}

/** Fields of one resource that hold names of resources of a kind. */
interface Reference {
  readonly target: Gvk
  readonly spec: FieldSpec
}

/** All the references that a kind may have: in a tree of fields, and apart those that can't be followed by it. */
interface References {
  readonly all: readonly Reference[]
  readonly tree: FieldTree<Reference>
  readonly rest: readonly Reference[]
}

/** Writes the names that resources now have wherever others refer to them by the names they once had. */
export const fixNameReferences = (resources: readonly Resource[], references: readonly NameReference[]): void => {
  const candidates = new Candidates(resources)
  const byGvk = new Map<string, References>()
  for (const resource of resources) {
    const id = resource.originalId()
    const key = `${id.group}|${id.version}|${id.kind}`
    let own = byGvk.get(key)
    if (!own) {
      own = referencesOf(id, references)
      byGvk.set(key, own)
    }
    if (own.all.length > 0) fixReferencesOf(resource, own, candidates)
  }
}

const referencesOf = (id: ResourceId, references: readonly NameReference[]): References => {
  const all = references.flatMap(({ referrers, ...target }) =>
    referrers.filter(spec => isSelected(id, spec)).map(spec => ({ target, spec: { ...spec, ...ANY_KIND } })),
  )
  const tree = emptyTree<Reference>()
  const rest = all.filter(reference => !addPath(tree, reference.spec, reference))
  return { all, tree, rest }
}

/** The referrer was chosen by its first kind; its present one doesn't matter. */
const ANY_KIND = { group: '', version: '', kind: '' }

const candidateOf = (resource: Resource): Candidate => ({
  resource,
  id: resource.currentId(),
  previous: resource.previousIds(),
  name: resource.name,
  namespace: resource.namespace,
  originalNamespace: effectiveNamespace(resource.originalId()),
})

class Candidates {
  /** By every name they had before; one without an earlier name is referred to rightly already. */
  readonly byName = new Map<string, Candidate[]>()
  private readonly resources: readonly Resource[]
  private byOriginal: Map<string, Candidate[]> | undefined

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

  /** All that were in a namespace first, whatever their names. */
  originallyIn(namespace: string): readonly Candidate[] {
    this.byOriginal ??= Map.groupBy(
      this.resources.map(candidateOf).filter(({ id }) => !id.clusterScoped),
      candidate => candidate.originalNamespace,
    )
    return this.byOriginal.get(namespace) ?? []
  }
}

const fixReferencesOf = (referrer: Resource, { all, tree, rest }: References, candidates: Candidates): void => {
  const reachable = reachableFrom(referrer)
  if (candidates.byName.size === 0) return
  const lookup: Lookup = {
    named: name => candidates.byName.get(name)?.filter(reachable) ?? [],
    hadNamespace: namespace => candidates.originallyIn(namespace).some(reachable),
  }
  const fix = (node: YamlNode, { target, spec }: Reference): void =>
    new Search(referrer, target, spec, lookup).fix(node)
  try {
    visitTree(tree, referrer.node!, fix)
  } catch {
    // One path after the other, to say which it was.
    for (const reference of all) fixOne(referrer, reference, fix)
  }
  for (const reference of rest) fixOne(referrer, reference, fix)
}

const fixOne = (
  referrer: Resource,
  reference: Reference,
  fix: (node: YamlNode, reference: Reference) => void,
): void => {
  const { spec } = reference
  try {
    applyFieldSpec(referrer, spec, node => fix(node, reference))
  } catch (error) {
    throw wrapError(`updating name reference in '${spec.path}' field of '${idString(referrer.currentId())}'`, error, {
      file: referrer.origin.file,
      field: spec.path,
    })
  }
}

/** What a resource can refer to: things in its namespace and those without one; role bindings also where their subjects are. */
const reachableFrom = (referrer: Resource): ((candidate: Candidate) => boolean) => {
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
  for (const subject of field(resource.node, 'subjects')?.content ?? []) {
    const namespace = field(subject, 'namespace')
    if (!namespace || field(subject, 'kind')?.value !== 'ServiceAccount') continue
    if (isMissing(namespace) || namespace.tag !== '!!str')
      throw new KustomizeError(
        `Invalid Input: namespace is blank for resource ${JSON.stringify(idString(resource.currentId()))}\n`,
        { file: resource.origin.file, field: 'subjects' },
      )
    namespaces.add(namespace.value)
  }
  return namespaces
}

/** What a referrer can reach. */
interface Lookup {
  named(name: string): Candidate[]
  /** Whether anything was in that namespace first. */
  hadNamespace(namespace: string): boolean
}

class Search {
  private readonly referrer: Resource
  private readonly target: Gvk
  private readonly spec: FieldSpec
  private readonly lookup: Lookup

  constructor(referrer: Resource, target: Gvk, spec: FieldSpec, lookup: Lookup) {
    this.referrer = referrer
    this.target = target
    this.spec = spec
    this.lookup = lookup
  }

  fix(node: YamlNode): void {
    if (isMissing(node)) return
    if (node.kind === 'scalar') this.fixName(node)
    else if (node.kind === 'map') this.fixMap(node)
    else if (node.kind === 'seq')
      for (const item of node.content) {
        if (isMissing(item)) continue
        if (item.kind === 'scalar') this.fixName(item)
        else if (item.kind === 'map') this.fixMap(item)
        else throw new KustomizeError(`${item.value} is expected to be either a string or a map of string`)
      }
    else throw new KustomizeError('node must be a scalar, sequence or map')
  }

  private fixName(node: YamlNode): void {
    const found = this.select(this.lookup.named(node.value), sameName)
    if (found && found.name !== node.value) setScalar(node, scalarNode(found.name))
  }

  /** A reference with name and namespace. */
  private fixMap(map: YamlNode): void {
    const name = field(map, 'name')
    if (!name) throw new KustomizeError("path config error; no 'name' field in node")
    const found = this.select(this.inNamespaceOf(map, name.value), sameNameAndNamespace)
    if (!found || (found.name === name.value && found.namespace === '')) return
    setFieldOf(map, 'name', scalarNode(found.name))
    if (found.namespace !== '') setFieldOf(map, 'namespace', scalarNode(found.namespace))
  }

  /** A namespace that is written is meant as it was first; when nothing at all was in that one, as it is now. */
  private inNamespaceOf(map: YamlNode, name: string): Candidate[] {
    const all = this.lookup.named(name)
    const namespace = field(map, 'namespace')
    if (!namespace || all.length === 0) return all
    const original = all.filter(
      candidate => !candidate.id.clusterScoped && candidate.originalNamespace === namespace.value,
    )
    if (original.length > 0 || this.lookup.hadNamespace(namespace.value)) return original
    return all.filter(candidate => !candidate.id.clusterScoped && effectiveNamespace(candidate.id) === namespace.value)
  }

  private select(named: Candidate[], identical: (candidates: readonly Candidate[]) => boolean): Candidate | undefined {
    if (named.length === 0) return undefined
    let found = named.filter(({ previous }) => previous.some(id => isSelected(id, this.target)))
    found = found.filter(this.roleRefFilter())
    found = found.filter(this.namespaceFilter())
    if (found.length === 1) return found[0]
    found = found.filter(candidate => sameAffixes(candidate.resource, this.referrer, true))
    if (found.length > 1) found = found.filter(candidate => sameAffixes(candidate.resource, this.referrer, false))
    if (found.length <= 1) return found[0]
    if (identical(found)) return found[0]
    throw this.ambiguous(found)
  }

  private roleRefFilter(): (candidate: Candidate) => boolean {
    if (!this.spec.path.endsWith('roleRef/name')) return () => true
    const roleRef = field(this.referrer.node, 'roleRef')
    const group = field(roleRef, 'apiGroup')
    const kind = field(roleRef, 'kind')
    if (!group || !kind) return () => true
    const role = { group: group.value, kind: kind.value }
    return ({ previous }) => previous.some(id => isSelected(id, role))
  }

  private namespaceFilter(): (candidate: Candidate) => boolean {
    const id = this.referrer.currentId()
    if (id.clusterScoped) return () => true
    const own = effectiveNamespace(id)
    return candidate =>
      candidate.id.clusterScoped || candidate.id.kind === 'ServiceAccount' || effectiveNamespace(candidate.id) === own
  }

  private ambiguous(found: readonly Candidate[]): KustomizeError {
    const ids = found.map(({ id }) => idString(id)).join(', ')
    const details = found.map(({ resource }, i) => `--- possible referral ${i}:\n${shown(resource)}\n`).join('')
    return new KustomizeError(
      `found multiple possible referrals: ${ids}\n\n**** Too many possible referral targets to referrer:\n${shown(this.referrer)}\n${details}`,
    )
  }
}

/** A resource with the annotations that kustomize would have on it. */
const shown = (resource: Resource): string => {
  const copy = resource.clone()
  exposeBuildAnnotations(copy)
  return copy.toYaml()
}

const sameName = (candidates: readonly Candidate[]): boolean =>
  candidates.every(candidate => candidate.name === candidates[0]!.name)

const sameNameAndNamespace = (candidates: readonly Candidate[]): boolean =>
  sameName(candidates) && candidates.every(candidate => candidate.namespace === candidates[0]!.namespace)

/** Prefixes and suffixes of resources that were changed by the same kustomizations end alike. */
const sameAffixes = (a: Resource, b: Resource, allowEmpty: boolean): boolean =>
  sameEnding(a.prefixes, b.prefixes, allowEmpty) && sameEnding(a.suffixes, b.suffixes, allowEmpty)

const sameEnding = (a: readonly string[], b: readonly string[], allowEmpty: boolean): boolean => {
  if (allowEmpty && (a.length === 0 || b.length === 0)) return true
  const common = Math.min(a.length, b.length)
  if (common === 0) return a.length === b.length
  for (let i = 1; i <= common; i++) if (a.at(-i) !== b.at(-i)) return false
  return true
}
