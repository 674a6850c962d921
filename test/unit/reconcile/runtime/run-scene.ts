import type { ChangeAction } from '../../../../lib/clusters/apply/change-set.ts'
import type { Kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { Run } from '../../../../lib/foundations/kinds/run.ts'
import { publicKeysIn, verifyReceipt } from '../../../../lib/foundations/rules/verify-receipt.ts'
import type { Outcome, Pass, Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { openWorld, type World } from '../world.ts'
import { author, kustomization } from './loop-scene.ts'

type Script = (pass: Pass<Kustomization>) => Promise<Outcome<Kustomization>> | Outcome<Kustomization>

export const done: Outcome<Kustomization> = {
  type: 'done',
  reason: 'ReconciliationSucceeded',
  message: 'Applied',
  routine: true,
}
export const failed = (message: string): Outcome<Kustomization> => ({
  ...{ type: 'failed', reason: 'BuildFailed', message, afterMs: 60_000 },
})

export const noteChange = (pass: Pass<Kustomization>, action: ChangeAction): void =>
  pass.note({
    changes: [{ ref: { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }, apiVersion: 'v1', action }],
  })

/** A Kustomization whose passes follow a script, which may be replaced. */
export const within = async (
  story: (world: World, follow: (script: Script) => void) => Promise<void>,
  options?: Parameters<typeof openWorld>[1],
): Promise<void> => {
  let script: Script = () => done
  const reconciler: Reconciler<Kustomization> = {
    kind: kustomizationRef(''),
    ...{ stage: 'apply', manager: 'kustomize-controller', leavesRuns: true },
    intervalOf: () => 600_000,
    passTimeoutOf: () => 60_000,
    reconcile: async (_, pass) => script(pass),
    finalize: async (_, pass) => {
      noteChange(pass, 'deleted')
      return undefined
    },
  }
  const world = await openWorld(() => [reconciler], options)
  try {
    await story(world, next => {
      script = next
    })
  } finally {
    await world.close()
  }
}

export const brief = (runs: readonly Run[]): readonly string[] =>
  runs.map(({ cause, result, counts, repeats = 0 }) => {
    const done = Object.entries(counts).map(([action, count]) => ` ${count} ${action}`)
    return `${cause.type} ${result}${done.join('')}${repeats > 0 ? ` x${repeats + 1}` : ''}`
  })

export const create = async ({ hub, settle }: World): Promise<void> => {
  await hub.create(kustomization('app', 'source'), author)
  await settle()
}

/** Whether the receipts of Runs are as their hub has signed them. */
export const verified = async ({ runs, receipts }: World): Promise<readonly boolean[]> => {
  const keys = (await receipts.list()).flatMap(({ publicKey }) => publicKeysIn(publicKey))
  return (await runs()).map(run => verifyReceipt(run, keys).verified)
}
