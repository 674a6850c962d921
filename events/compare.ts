import { fieldsOf } from './event-error.ts'

const event = 'request for a comparison'

const operation = 'compare'

/** Requests from `apiserver` to the functions `apply` and `resourceset`, whose other events are batches of their queues: a unit that is to be compared with its cluster. */
export interface CompareEvent {
  readonly operation: typeof operation
  readonly unit: {
    readonly group: string
    readonly kind: string
    readonly namespace: string
    readonly name: string
  }
}

/** Whether an event is such a request: batches have no field `operation`. */
export const isCompareRequest = (value: unknown): boolean => fieldsOf(event, value).value('operation') === operation

/** Throws EventError. */
export const parseCompareRequest = (value: unknown): CompareEvent => {
  const unit = fieldsOf(event, value).object('unit')
  return {
    operation,
    unit: {
      ...{ group: unit.text('group'), kind: unit.text('kind') },
      ...{ namespace: unit.text('namespace'), name: unit.text('name') },
    },
  }
}

export const sample = {
  operation,
  unit: { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'apps', name: 'web' },
} satisfies CompareEvent
