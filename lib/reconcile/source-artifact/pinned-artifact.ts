import { type Artifact, folderOf } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { pinAnnotation } from '../../foundations/kinds/rollout.ts'
import { type PinnedSource, type RolloutRun, rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { once } from '../../foundations/rules/once.ts'
import { type Pin, pinOf, rolloutsIn, runOfPin } from '../../foundations/rules/pin.ts'
import { sourceAmong } from '../../foundations/rules/rolled-out.ts'
import { configMapKind, everyNamespace, type References } from '../../hub/references/references.ts'

/** A pin that can't be followed: the unit stays as it is. */
export class PinBroken extends Error {}

type PinReferences = Pick<References, 'anywhere' | 'ownNamespace'>

/**
 * What the RolloutRun of a unit's pin allows it to take from its source. Undefined without a pin, and where the run does not have that source. Fails
 * with PinBroken if the run is gone, or is one of another namespace that the unit's Namespace does not name. Costs a read of the run.
 */
export const pinnedSource = async (
  unit: KubernetesObject,
  references: PinReferences,
): Promise<{ readonly pin: Pin; readonly source: PinnedSource; readonly run: RolloutRun } | undefined> => {
  const pin = pinOf(unit)
  if (!pin) return undefined
  const place = { namespace: pin.namespace, name: pin.run }
  const run = await references.anywhere<RolloutRun>(unit, rolloutRun, place, everyNamespace)
  const release = `restore the run, or release the unit by removing its annotation ${pinAnnotation}`
  if (!run) throw new PinBroken(`${runOfPin(pin)}, which holds the revision, is gone: ${release}`)
  if (pin.namespace !== unit.metadata.namespace && !(await isWelcome(unit, run, references)))
    throw new PinBroken(
      `Namespace ${unit.metadata.namespace} does not name the Rollout of ${runOfPin(pin)}: ${release}`,
    )
  const source = sourceAmong(run.spec.sources, unit)
  if (!source) return undefined
  if (!isKeptFor(run, source.artifact)) throw new PinBroken(`${runOfPin(pin)} names an artifact that is not its own`)
  return { pin, source, run }
}

/** The artifact of a unit's pin; undefined without one. */
export const pinnedArtifact = async (
  unit: KubernetesObject,
  references: PinReferences,
): Promise<Artifact | undefined> => (await pinnedSource(unit, references))?.source.artifact

type Data = Readonly<Record<string, string>>

/**
 * Reads the data of ConfigMaps that a unit builds with, by name: as the run of its pin keeps it, or else as it is. Undefined if there is none. Costs nothing more
 * for a unit without a pin; otherwise a read of the run.
 */
export const configDataOf = (unit: KubernetesObject, references: PinReferences & Pick<References, 'local'>) => {
  const pinned = once(() => pinnedSource(unit, references))
  return async (name: string): Promise<Data | undefined> => {
    const { pin, run } = (await pinned()) ?? {}
    const isOwn = pin?.namespace === unit.metadata.namespace
    const kept = isOwn
      ? run?.spec.inputs?.find(input => input.kind === configMapKind.kind && input.name === name)
      : undefined
    if (kept) return kept.data
    const found = await references.local<KubernetesObject & { readonly data?: Data }>(unit, configMapKind, name)
    return found && (found.data ?? {})
  }
}

const isWelcome = async (
  unit: KubernetesObject,
  { metadata, spec }: RolloutRun,
  references: PinReferences,
): Promise<boolean> =>
  rolloutsIn(await references.ownNamespace(unit)).some(
    ({ namespace, name }) => namespace === metadata.namespace && name === spec.rollout,
  )

/** A user who may write RolloutRuns must not read artifacts of others with them. */
const isKeptFor = (run: RolloutRun, { path, digest }: Artifact): boolean => {
  const folder = folderOf(run)
  return path.startsWith(folder) && !path.slice(folder.length).includes('/') && !digest.includes('/')
}
