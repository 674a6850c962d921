/** Decides which definitions get their names: within a group, each name belongs to one kind. Pure. */
import type { CustomResourceDefinition, DefinedNames } from '../../foundations/kinds/custom-resource-definition.ts'
import { conditionOf } from '../../foundations/kinds/custom-resource-definition.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'

/** The decision on a definition's names. */
export interface NameDecision {
  /** Whether the definition determines how its kind is served. Built-in kinds are determined by the hub. */
  readonly isServed: boolean
  /** Reason and message if another kind has one of the names. */
  readonly conflict?: { readonly reason: string; readonly message: string }
}

/** By definition name. Previously accepted definitions take precedence, then older ones. */
export const acceptNames = (
  definitions: readonly CustomResourceDefinition[],
  builtIn: readonly Kind[],
): ReadonlyMap<string, NameDecision> => {
  const taken = new Map<string, string>()
  for (const kind of builtIn) take(taken, kind.group, nameOf(kind), kind)
  const decisions = new Map<string, NameDecision>()
  for (const { metadata, spec } of definitions.toSorted(byPrecedence)) {
    const isBuiltIn = builtIn.some(({ group, plural }) => group === spec.group && plural === spec.names.plural)
    const conflict = isBuiltIn ? undefined : conflictOf(taken, spec.group, metadata.name, spec.names)
    if (!conflict) take(taken, spec.group, metadata.name, spec.names)
    decisions.set(metadata.name, { isServed: !isBuiltIn && !conflict, ...(conflict && { conflict }) })
  }
  return decisions
}

const nameOf = ({ plural, group }: Kind) => `${plural}.${group}`

const isEstablished = (definition: CustomResourceDefinition): boolean =>
  conditionOf(definition, 'Established')?.status === 'True'

const byPrecedence = (a: CustomResourceDefinition, b: CustomResourceDefinition): number =>
  Number(isEstablished(b)) - Number(isEstablished(a)) || (ageOf(a) < ageOf(b) ? -1 : 1)

const ageOf = ({ metadata }: CustomResourceDefinition) => `${metadata.creationTimestamp} ${metadata.name}`

type Names = Pick<DefinedNames, 'plural' | 'singular' | 'shortNames' | 'kind' | 'listKind'>

/** Names of resources (plural, singular, short) are one set, kinds another. */
const take = (taken: Map<string, string>, group: string, owner: string, names: Names): void => {
  const { plural, singular, shortNames = [], kind, listKind = `${kind}List` } = names
  for (const name of [plural, singular, ...shortNames]) if (name) taken.set(`${group} resource ${name}`, owner)
  for (const name of [kind, listKind]) taken.set(`${group} kind ${name}`, owner)
}

const conflictOf = (
  taken: ReadonlyMap<string, string>,
  group: string,
  owner: string,
  { plural, singular, shortNames = [], kind, listKind }: Names,
): NameDecision['conflict'] => {
  const isTaken = (set: 'resource' | 'kind', name: string | undefined) => {
    const by = name && taken.get(`${group} ${set} ${name}`)
    return by !== undefined && by !== '' && by !== owner
  }
  const inUse = (reason: string, name: string) => ({ reason, message: `${JSON.stringify(name)} is already in use` })
  if (isTaken('resource', plural)) return inUse('PluralConflict', plural)
  if (isTaken('resource', singular)) return inUse('SingularConflict', singular!)
  const short = shortNames.find(name => isTaken('resource', name))
  if (short) return inUse('ShortNamesConflict', short)
  if (isTaken('kind', kind)) return inUse('KindConflict', kind)
  return isTaken('kind', listKind) ? inUse('ListKindConflict', listKind!) : undefined
}
