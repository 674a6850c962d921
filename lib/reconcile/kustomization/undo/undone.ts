import { intervalOf } from '../../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import { refOf } from '../../../foundations/kinds/object.ts'
import { pinnedCondition } from '../../../foundations/kinds/rollout.ts'
import {
  type FailedBuild,
  goesBackByItself,
  type Undo,
  undoAnnotation,
  undone,
  undoneByAnnotation,
  undoneByText,
  undoText,
} from '../../../foundations/kinds/undo.ts'
import { waitingCondition } from '../../../foundations/kinds/window.ts'
import type { NewCondition } from '../../../foundations/rules/conditions.ts'
import type { KeptBuild } from '../../../foundations/rules/kept-builds.ts'
import { unheld } from '../../../foundations/rules/pin.ts'
import { WouldWrite } from '../../runtime/dry-run.ts'
import type { Outcome, Pass } from '../../runtime/reconciler.ts'
import type { Context } from '../context.ts'
import { eventMetadata } from '../events.ts'
import { failure, orFailure } from '../failure.ts'
import { fromStored, type Wanted } from '../wanted.ts'
import type { UndoPorts } from './undo-ports.ts'

/** The manifests that a unit keeps. Halts if they are not stored: then nothing is applied. */
export const fromKept = async (
  kustomization: Kustomization,
  { to }: Undo,
  pass: Pick<Pass<Kustomization>, 'signal'>,
  { builds, units }: Pick<Context, 'builds' | 'units'>,
): Promise<Wanted> => {
  const found = await orFailure('UndoFailed', pass.signal, () => builds.get(kustomization, to))
  if (!found) throw failure('UndoFailed', describeMissing(kustomization, to, (await units.read(kustomization)).kept))
  return { ...fromStored(found), author: undoneBy(kustomization) }
}

const describeMissing = (unit: Kustomization, to: string, kept: readonly KeptBuild[] = []): string =>
  `the manifests '${to.slice(0, 100)}' of annotation ${undoAnnotation} are not kept, so nothing is applied; kept are: ` +
  `${kept.map(({ digest, revision }) => `${revision} (${digest})`).join(', ') || 'none'}; to follow the source again, run: ${resumeCommand(unit)}`

/**
 * Whether a unit that went back by itself stays there: its source still makes what has failed, for the same spec. Otherwise ends the undo.
 */
export const isStillFailed = async (
  kustomization: Kustomization,
  failed: FailedBuild,
  wanted: Wanted,
  { dryRun }: Pick<Pass<Kustomization>, 'dryRun'>,
  { hub }: UndoPorts,
): Promise<boolean> => {
  const isSameSpec = failed.generation === kustomization.metadata.generation
  if (isSameSpec && (await (await wanted.prepare()).build()).digest === failed.digest) return true
  if (dryRun) throw new WouldWrite('the end of an undo')
  await annotate(kustomization, null, hub)
  return false
}

/** The outcome of a pass over a unit that was undone: it shows everywhere. */
export const withUndo = async (
  outcome: Outcome<Kustomization>,
  kustomization: Kustomization,
  { to, failed }: Undo,
  { units }: Pick<Context, 'units'>,
): Promise<Outcome<Kustomization>> => {
  const { kept = [] } = await units.read(kustomization)
  const revision = kept.find(({ digest }) => digest === to)?.revision ?? 'unknown'
  const by = undoneBy(kustomization) ?? 'an unknown user'
  const resume = `run: ${resumeCommand(kustomization)}`
  const message = failed
    ? `revision ${failed.revision} has failed its health checks, so revision ${revision} is kept (manifests ${to}); another revision is applied as usual; to try this one again, ${resume}`
    : `${undoneByText(kustomization)}: revision ${revision} is kept (manifests ${to}); ${unheld(kustomization)}to follow the source again, ${resume}`
  const pinned: NewCondition = { status: 'True', reason: undone, message }
  const conditions = { ...outcome.conditions, [pinnedCondition]: pinned }
  if (outcome.type !== 'done') return { ...outcome, conditions }
  // The undo waits for an approval: what is kept until then is not what it returns to.
  const isAwaited = outcome.conditions?.[waitingCondition] != null
  if (!failed)
    return { ...outcome, conditions, message: `${outcome.message}${isAwaited ? '' : `, kept by an undo of ${by}`}` }
  // The cluster does not match the source: Ready is False, as after the remediation of a HelmRelease. It was reported when it went back.
  const { status } = outcome
  const afterMs = outcome.afterMs ?? intervalOf(kustomization)
  return {
    type: 'failed',
    reason: undone,
    message,
    conditions,
    event: null,
    isWait: true,
    afterMs,
    ...(status && { status }),
  }
}

/** The outcome of a pass that has failed. If the health of a new build has, and the unit has the annotation for it, it goes back to the last one that was healthy. */
export const orGoBack = async (
  outcome: Outcome<Kustomization>,
  kustomization: Kustomization,
  pass: Pick<Pass<Kustomization>, 'event' | 'dryRun'>,
  { hub, units, settings }: UndoPorts & Pick<Context, 'units' | 'settings'>,
): Promise<Outcome<Kustomization>> => {
  if (settings.undoLimit === 0) return outcome
  if (outcome.type !== 'failed' || outcome.reason !== 'HealthCheckFailed' || pass.dryRun) return outcome
  if (!goesBackByItself(kustomization)) return outcome
  const { digest, metadata: { revision = '' } = {} } = outcome.status?.history?.[0] ?? {}
  const { kept = [] } = await units.read(kustomization)
  const [good] = kept
  if (digest === undefined || !good || kept.some(one => one.digest === digest)) return outcome
  const failed = { digest, revision, generation: kustomization.metadata.generation ?? 0 }
  await annotate(kustomization, { to: good.digest, failed }, hub)
  const message = `revision ${revision} has failed its health checks: going back to revision ${good.revision}`
  pass.event({ severity: 'error', reason: undone, message, metadata: eventMetadata({ revision }) })
  return { ...outcome, afterMs: 0 }
}

const annotate = async (unit: Kustomization, undo: Undo | null, hub: UndoPorts['hub']): Promise<void> => {
  const annotations = { [undoAnnotation]: undo && undoText(undo), [undoneByAnnotation]: null }
  await hub.patch(refOf(unit), { type: 'merge', patch: { metadata: { annotations } } }, { fieldManager: 'keelson' })
}

const undoneBy = ({ metadata }: Kustomization): string | undefined => metadata.annotations?.[undoneByAnnotation]

const resumeCommand = ({ metadata }: Kustomization): string =>
  `keelson resume kustomization/${metadata.name} -n ${metadata.namespace}`
