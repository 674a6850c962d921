/** An object's status as kstatus reports it (sigs.k8s.io/cli-utils, in Flux's fork). */
export interface KStatus {
  readonly status: 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound' | 'Unknown'
  readonly message: string
  /** `Reconciling` or `Stalled`, status True; empty for the other statuses. */
  readonly conditions: readonly KStatusCondition[]
}

export interface KStatusCondition {
  readonly type: 'Reconciling' | 'Stalled'
  readonly status: 'True'
  readonly reason: string
  readonly message: string
}

/** The object is malformed, so that its status is unknown. */
export class KStatusError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'KStatusError'
  }
}

/** Fully reconciled. kstatus sets no condition then. */
export const current = (message: string): KStatus => ({ status: 'Current', message, conditions: [] })

/** Being reconciled; `reason` is kstatus' own, not the object's. */
export const inProgress = (reason: string, message: string): KStatus => ({
  status: 'InProgress',
  message,
  conditions: [{ type: 'Reconciling', status: 'True', reason, message }],
})

/** An error that the controller doesn't expect to recover from; kstatus' condition is Stalled. */
export const failed = (reason: string, message: string, conditionMessage = message): KStatus => ({
  status: 'Failed',
  message,
  conditions: [{ type: 'Stalled', status: 'True', reason, message: conditionMessage }],
})
