import { createReferences } from '../../hub/references/references.ts'
import type { Message } from '../../platform/ports/queue.ts'
import type { WakeUps } from '../../platform/ports/wake-ups.ts'
import { leftToRunner } from '../../reconcile/runner/left-to-runner.ts'
import { composeLoop, type LoopParts } from '../loop.ts'
import type { AwsHub } from './aws-hub.ts'

/** Reconciles the object of a message; `id` identifies the delivery in the log. Fails if the message must be delivered again. */
export type HandleMessage = (message: Message, id: string, signal: AbortSignal) => Promise<void>

export interface StageParts extends Omit<LoopParts, 'addressed' | 'isElsewhere'> {
  /** Only for stages whose objects a runner may reconcile. */
  readonly wakeUps?: WakeUps
}

/** As a status costs some seven write units, progress is stored if it lasts this long. Embedded hubs store it after a quarter of a second. */
const momentMs = 2000

/** A stage of work, with the reconcilers of its kinds. */
export const awsStage = (base: AwsHub, { reconcilers, senders, wakeUps }: StageParts): HandleMessage => {
  const { hub, settings, addressed, observability } = base
  const ports = { ...base.ports, ...(wakeUps && { wakeUps }) }
  const isElsewhere = leftToRunner(createReferences(hub))
  const loop = composeLoop(ports, settings, base, { reconcilers, addressed, senders, isElsewhere }, { momentMs })

  return (message, id, signal) => {
    const { kind, namespace, name } = message.ref
    return observability.within({ kind, namespace, name, reconcileID: id }, async () => {
      try {
        await loop.handle(message, signal)
      } catch (error) {
        ports.log.error('a message failed and will be delivered again', { error })
        throw error
      }
    })
  }
}
