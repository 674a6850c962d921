import { type Artifact, blobNameOf } from '../../foundations/kinds/artifact.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import type { Restraint } from '../windows/restraint.ts'
import type { Context } from './context.ts'
import type { ResolvedSource } from './resolve-source.ts'
import type { KustomizationRun } from './run.ts'

type KeepPorts = Pick<Context, 'units' | 'artifacts'>

const awaitingReasons: readonly string[] = ['ApprovalRequired', 'PlanRejected']

/**
 * Keeps the artifact of an applied revision, under a name of its own: the source deletes it once it has others. Called after every pass that has applied
 * everything, of a unit whose changes need approval. After an undo there is no artifact to keep.
 */
export const rememberApproved = async (
  { applier: unit, digest: build, pass }: KustomizationRun,
  artifact: Artifact | undefined,
  { units, artifacts }: KeepPorts,
): Promise<void> => {
  const facts = await units.read(unit)
  const generation = unit.metadata.generation ?? 0
  const before = facts.approved
  const kept = before?.artifact
  if (before?.build === build && before.generation === generation && kept?.digest === artifact?.digest) return
  if (pass.dryRun) return // the next pass keeps it
  const copy = artifact && copyOf(unit, artifact)
  const isKept = copy && (await artifacts.claim(blobNameOf(copy)))
  await units.write(unit, { ...facts, approved: { build, generation, ...(isKept && { artifact: copy }) } })
  if (kept && kept.digest !== artifact?.digest) await artifacts.delete(blobNameOf(kept))
}

/** In the folder of the source's kind, where artifacts share their content; no source can have this name. */
const copyOf = ({ metadata: { namespace, uid } }: Kustomization, artifact: Artifact): Artifact => {
  const [folder] = artifact.path.split('/')
  return { ...artifact, path: `${folder}/${namespace}/approved_${uid}/${artifact.digest.split(':')[1]}.tar.gz` }
}

/**
 * While a change waits for approval, the cluster is kept as the last approved revision says: that is applied again, if it is still what the
 * unit's spec makes of it.
 */
export const keepApproved = async (
  outcome: Outcome<Kustomization>,
  unit: Kustomization,
  {
    restraint: { approval, ...restraint },
    apply,
  }: {
    readonly restraint: Restraint
    readonly apply: (source: ResolvedSource, restraint: Restraint) => Promise<Outcome<Kustomization>>
  },
  { units, artifacts }: KeepPorts,
): Promise<Outcome<Kustomization>> => {
  if (outcome.type !== 'held' || !awaitingReasons.includes(outcome.reason)) return outcome
  const artifact = (await units.read(unit)).approved?.artifact
  if (!artifact || !(await artifacts.has(blobNameOf(artifact)))) return outcome
  const hold = { reason: 'ApprovalRequired', why: outcome.message } as const
  const holds = { ...restraint.holds, Changes: hold, Deletions: hold }
  const kept = await apply({ artifact, isForeign: false }, { ...restraint, holds })
  if (kept.type === 'held') return outcome
  const waiting = outcome.conditions?.[waitingCondition]
  return { ...kept, conditions: { ...kept.conditions, ...(waiting && { [waitingCondition]: waiting }) } }
}

/** Deletes the kept artifact of a unit that is deleted. */
export const forgetApproved = async (unit: Kustomization, { units, artifacts }: KeepPorts): Promise<void> => {
  const artifact = (await units.read(unit)).approved?.artifact
  if (artifact) await artifacts.delete(blobNameOf(artifact))
}
