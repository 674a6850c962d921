import { fieldsOf } from './event-error.ts'

const event = 'request for a comparison'

/** Requests from `apiserver` to the function `apply`, beside the messages of its queue: a unit that is to be compared with its cluster. */
export interface CompareEvent {
  readonly compare: {
    readonly group: string
    readonly kind: string
    readonly namespace: string
    readonly name: string
  }
}

/** Whether an event is that request: events of queues have no field `compare`. */
export const isCompareRequest = (value: unknown): boolean => fieldsOf(event, value).value('compare') !== undefined

/** Throws EventError. */
export const parseCompareRequest = (value: unknown): CompareEvent => {
  const unit = fieldsOf(event, value).object('compare')
  return {
    compare: {
      ...{ group: unit.text('group'), kind: unit.text('kind') },
      ...{ namespace: unit.text('namespace'), name: unit.text('name') },
    },
  }
}

export const sample = {
  compare: { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'apps', name: 'web' },
} satisfies CompareEvent
