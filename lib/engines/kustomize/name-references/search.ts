import { clearField, field, isMissing, scalarNode, type YamlNode } from '../../yaml/node.ts'
import { exposeBuildAnnotations } from '../build-annotations.ts'
import type { FieldSpec } from '../field-spec.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { setFieldOf, setScalar } from '../node-path.ts'
import type { Resource } from '../resource.ts'
import { effectiveNamespace, type Gvk, idString, isSelected } from '../resource-id.ts'
import type { Candidate } from './candidates.ts'

/** What a referrer can reach. */
export interface Lookup {
  named(name: string): Candidate[]
  /** Whether any resource was originally in that namespace. */
  hadNamespace(namespace: string): boolean
}

/** Finds the target of a field's reference, and writes its current name. */
export class Search {
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
    else
      for (const item of node.content) {
        if (isMissing(item)) continue
        if (item.kind === 'scalar') this.fixName(item)
        else if (item.kind === 'map') this.fixMap(item)
        else throw new KustomizeError('an item is expected to be either a string or a map of string')
      }
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

  /** An explicit namespace means the original one; if no resource was in that, the current one. */
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
    if (identical(found)) return found[0]
    throw this.ambiguous(found)
  }

  private roleRefFilter(): (candidate: Candidate) => boolean {
    if (!this.spec.path.endsWith('roleRef/name')) return () => true
    const roleRef = field(this.referrer.view, 'roleRef')
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

/** A resource with the annotations that kustomize would have; a Secret without its data. */
const shown = (resource: Resource): string => {
  const copy = resource.clone()
  exposeBuildAnnotations(copy)
  if (resource.kind === 'Secret') for (const key of ['data', 'stringData']) clearField(copy.node!, key)
  return copy.toYaml()
}

const sameName = (candidates: readonly Candidate[]): boolean =>
  candidates.every(candidate => candidate.name === candidates[0]!.name)

const sameNameAndNamespace = (candidates: readonly Candidate[]): boolean =>
  sameName(candidates) && candidates.every(candidate => candidate.namespace === candidates[0]!.namespace)

/** Resources changed by the same kustomizations have matching trailing prefixes and suffixes. */
const sameAffixes = (a: Resource, b: Resource, allowEmpty: boolean): boolean =>
  sameEnding(a.prefixes, b.prefixes, allowEmpty) && sameEnding(a.suffixes, b.suffixes, allowEmpty)

const sameEnding = (a: readonly string[], b: readonly string[], allowEmpty: boolean): boolean => {
  if (allowEmpty && (a.length === 0 || b.length === 0)) return true
  const common = Math.min(a.length, b.length)
  if (common === 0) return a.length === b.length
  for (let i = 1; i <= common; i++) if (a.at(-i) !== b.at(-i)) return false
  return true
}
