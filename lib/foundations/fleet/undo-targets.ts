/** What a unit can return to by an undo. Pure. */
import { helmRelease } from '../kinds/helm-release.ts'
import { kustomization } from '../kinds/kustomization.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { Run } from '../kinds/run.ts'
import { undoOf } from '../kinds/undo.ts'
import { isOff } from './object-state.ts'

/** The kinds that can be undone. */
export const undoneKinds: readonly string[] = [kustomization.kind, helmRelease.kind]

/** What a unit is to keep. */
export interface UndoTarget {
  /** Digest of the manifests. */
  readonly to: string
  readonly revision: string
}

type Unit = KubernetesObject & {
  readonly status?: { readonly history?: readonly { readonly digest?: string }[] }
}

/** Why a unit can't be undone now, as the rest of a sentence about it; undefined if it can. */
export const undoRefusal = (unit: KubernetesObject): string | undefined => {
  if (!undoneKinds.includes(unit.kind)) return `is a ${unit.kind}, which can't be undone`
  return isOff(unit) ? 'is suspended: nothing is applied until it is resumed' : undefined
}

/** What a Run has applied. Throws Error if that can't be applied again to this unit. */
export const appliedBy = (run: Run, { metadata }: KubernetesObject): UndoTarget => {
  const { unit, manifests, revision, result } = run
  const { name } = run.metadata
  if (unit.uid !== metadata.uid)
    throw new Error(`${name} is a run of ${unit.kind}/${unit.name}, or of an earlier object of that name`)
  if (result !== 'Succeeded') throw new Error(`${name} has the result ${result}: name a run that has succeeded`)
  if (manifests === undefined) throw new Error(`${name} does not name the manifests that it has applied`)
  return { to: manifests, revision: revision ?? 'unknown' }
}

/** The runs that a unit can return to, the newest first, as the Runs are: each with other manifests than the unit has now. */
export const runsToReturnTo = (unit: Unit, runs: readonly Run[]): readonly Run[] => {
  const own = runs.filter(({ unit: { uid }, manifests }) => uid === unit.metadata.uid && manifests !== undefined)
  const seen = new Set([presentManifests(unit, own)])
  return own.filter(({ result, manifests }) => {
    if (result !== 'Succeeded' || seen.has(manifests)) return false
    seen.add(manifests)
    return true
  })
}

/** Runs of HelmReleases name only what was written; those of Kustomizations also what was refused. */
const presentManifests = (unit: Unit, [last]: readonly Run[]): string | undefined =>
  undoOf(unit)?.to ?? (unit.kind === kustomization.kind ? unit.status?.history?.[0]?.digest : last?.manifests)
