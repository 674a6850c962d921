/** Which deletions wait for approval: limits in a Cluster, or in annotations of a unit, its Namespace, or an applied object. */
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema/schema.ts'
import { integer, object, optional } from './schema/schema.ts'

/** On an applied object: its deletion waits for approval if the value is `confirm`. */
export const pruneAnnotation = 'keelson.dev/prune'
/** On a Namespace of the hub for the units in it, or on a unit: a `PruneLimit` as text. */
export const pruneLimitAnnotation = 'keelson.dev/prune-limit'
/** On a Namespace of the hub for the units in it, or on a unit: kinds whose deletions wait, as `Kind` or `Kind.group`, or `*`. */
export const confirmPruneAnnotation = 'keelson.dev/confirm-prune'

export const pruneLimit = object(
  'How much one pass may prune. If it would prune more, all its deletions wait for approval.',
  {
    objects: optional(integer('Maximum number of objects.', { minimum: 0 })),
    percent: optional(
      integer('Maximum share of the objects of a unit that has ten or more, in percent.', { minimum: 0, maximum: 100 }),
    ),
  },
)

export type PruneLimit = TypeOf<typeof pruneLimit>

/** The hub's own limit. */
export const defaultPruneLimit: PruneLimit = { percent: 50 }

/** For messages: what `parsePruneLimit` accepts. */
export const pruneLimitForm = 'a number of objects, a percentage, or both, such as 5, 20%'

/** `5`, `20%` or `5, 20%`; undefined for anything else. */
export const parsePruneLimit = (text: string): PruneLimit | undefined => {
  const [, percentOnly, objects, percent = percentOnly] =
    /^\s*(?:(\d{1,3})%|(\d{1,9})(?:\s*,\s*(\d{1,3})%)?)\s*$/.exec(text) ?? []
  if ((objects === undefined && percent === undefined) || Number(percent ?? 0) > 100) return undefined
  return { ...(objects && { objects: Number(objects) }), ...(percent && { percent: Number(percent) }) }
}

/** The inverse of `parsePruneLimit`: `5`, `20%` or `5, 20%`. */
export const formatPruneLimit = ({ objects, percent }: PruneLimit): string =>
  [...(objects === undefined ? [] : [`${objects}`]), ...(percent === undefined ? [] : [`${percent}%`])].join(', ')

/** A kind by name and API group; `*` means all kinds. */
export interface NamedKind {
  readonly group?: string
  readonly kind: string
}

/** `Service, Ingress.networking.k8s.io`; undefined if a part is no kind. */
export const parseNamedKinds = (text: string): readonly NamedKind[] | undefined => {
  const kinds = text
    .split(',')
    .map(part => /^\s*(?:(\*)|([A-Z][A-Za-z0-9]*)(?:\.([a-z0-9][a-z0-9.-]*))?)\s*$/.exec(part) ?? undefined)
  if (kinds.includes(undefined)) return undefined
  return kinds.map(part => ({ kind: (part![1] ?? part![2])!, ...(part![3] && { group: part![3] }) }))
}

export const isNamed = ({ group = '', kind }: NamedKind, ref: { readonly group: string; readonly kind: string }) =>
  kind === '*' || (kind === ref.kind && group === ref.group)

/** Whether the object itself requires approval of its deletion. */
export const requiresConfirmation = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[pruneAnnotation]?.toLowerCase() === 'confirm'
