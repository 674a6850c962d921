import { gzipSync } from 'node:zlib'
import { fieldsOf } from './event-error.ts'

const event = 'request for the plan of a release'
const operation = 'planRelease'

/** Requests from `apply` to the function `helmrelease`, whose other events are batches of its queue: a HelmRelease at the head of a pull request, packed. */
export interface PlanReleaseEvent {
  readonly operation: typeof operation
  readonly release: string
}

/** Whether an event is such a request: batches have no field `operation`. */
export const isPlanReleaseRequest = (input: unknown): boolean => fieldsOf(event, input).value('operation') === operation

/** Throws EventError, which quotes none of the values. */
export const parsePlanReleaseRequest = (input: unknown): PlanReleaseEvent => ({
  operation,
  release: fieldsOf(event, input).text('release'),
})

const spec = { interval: '1h', chart: { spec: { chart: './web', sourceRef: { kind: 'GitRepository', name: 'web' } } } }

/** A release whose HelmChart does not exist. */
export const sample = {
  operation,
  release: gzipSync(
    JSON.stringify({
      unit: {
        ...{ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', spec },
        metadata: { name: 'web', namespace: 'default' },
      },
      ...{ base: spec, head: { ...spec, values: { size: 'large' } } },
      configMaps: { base: [], head: [] },
    }),
  ).toString('base64'),
} satisfies PlanReleaseEvent
