import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { describeChange, describeChanges } from '../../clusters/apply/change-set.ts'
import type { NewEvent } from '../runtime/reconciler.ts'

const info = (reason: string, message: string): NewEvent => ({ severity: 'info', reason, message })

/** Reports the objects that were applied, deleted and kept; undefined if there are none. */
export const changesEvent = (applied: ChangeSet, collected: ChangeSet, step?: string): NewEvent | undefined => {
  const lines = [describeChanges(applied), ...collected.map(describeChange)].filter(line => line !== '')
  if (lines.length === 0) return undefined
  const text = lines.join('\n')
  return info('ApplySucceeded', step === undefined ? text : `step "${step}": ${text}`)
}

/** Reports that everything is applied. */
export const finishedEvent = (message: string): NewEvent => info('ReconciliationSucceeded', message)

/** Reports that nothing is reconciled any more, although all is well (RS-093). */
export const disabledEvent: NewEvent = {
  severity: 'error',
  reason: 'ReconciliationDisabled',
  message: 'Reconciliation is disabled',
}
