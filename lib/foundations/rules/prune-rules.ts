/** What the objects around a unit say about its deletions. Pure. */
import type { Cluster } from '../kinds/cluster.ts'
import type { KubernetesObject, ObjectRef } from '../kinds/object.ts'
import {
  confirmPruneAnnotation,
  isNamed,
  type NamedKind,
  type PruneLimit,
  parseNamedKinds,
  parsePruneLimit,
  pruneLimitAnnotation,
  pruneLimitForm,
} from '../kinds/prune-limit.ts'

/** A limit, and who has set it: `Cluster apps/prod`; the hub's own if absent. */
export interface AppliedLimit extends PruneLimit {
  readonly by?: string
}

/** All limits of a unit: each of them counts, so the strictest decides. */
export interface PruneRules {
  readonly limits: readonly AppliedLimit[]
  /** Kinds whose deletions wait, and who says so. */
  readonly confirm: readonly (NamedKind & { readonly by: string })[]
}

export const noPruneRules: PruneRules = { limits: [], confirm: [] }

/** The rules in the Clusters of a unit, in its Namespace and in its own annotations. An annotation that can't be read makes every deletion wait. */
export const pruneRulesOf = (
  clusters: readonly Cluster[],
  annotated: readonly KubernetesObject[],
  ownerOf: (object: KubernetesObject) => string,
): PruneRules => {
  const ofAnnotation = <R>(
    object: KubernetesObject,
    name: string,
    parse: (text: string) => R | undefined,
    expected: string,
  ): { readonly value?: R; readonly problem?: AppliedLimit } => {
    const text = object.metadata.annotations?.[name]
    if (text === undefined) return {}
    const value = parse(text)
    if (value !== undefined) return { value }
    const by = `annotation ${name} of ${ownerOf(object)} (${JSON.stringify(text.slice(0, 80))} is not ${expected})`
    return { problem: { objects: 0, by } }
  }
  const read = annotated.map(object => ({
    by: ownerOf(object),
    limit: ofAnnotation(object, pruneLimitAnnotation, parsePruneLimit, pruneLimitForm),
    confirm: ofAnnotation(
      object,
      confirmPruneAnnotation,
      parseNamedKinds,
      'a list of kinds such as Service, Role.rbac.authorization.k8s.io',
    ),
  }))
  return {
    limits: [
      ...clusters.flatMap(cluster => {
        const limit = cluster.spec.pruneLimit
        return limit ? { ...limit, by: ownerOf(cluster) } : []
      }),
      ...read.flatMap(({ by, limit }) => (limit.value ? { ...limit.value, by } : [])),
      ...read.flatMap(({ limit, confirm }) => [limit.problem ?? [], confirm.problem ?? []].flat()),
    ],
    confirm: [
      ...clusters.flatMap(cluster =>
        (cluster.spec.confirmPrune ?? []).map(kind => ({ ...kind, by: ownerOf(cluster) })),
      ),
      ...read.flatMap(({ by, confirm }) => (confirm.value ?? []).map(kind => ({ ...kind, by }))),
    ],
  }
}

/** Who requires approval of the deletion of an object of this kind. */
export const confirmedBy = ({ confirm }: PruneRules, ref: ObjectRef): string | undefined =>
  confirm.find(kind => isNamed(kind, ref))?.by

/** The rules, and before them the limit that applies to all units of the hub. */
export const withHubLimit = (
  { limits, confirm }: PruneRules,
  { pruneLimit }: { readonly pruneLimit: PruneLimit },
): PruneRules => ({ limits: [pruneLimit, ...limits], confirm })
